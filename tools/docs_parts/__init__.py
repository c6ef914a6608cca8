"""What `tools/docs_tables.py` is made of: one module for each kind of generated part."""
