"""Fuzz targets: bytes in, promises checked. `make fuzz` drives them by coverage; the saved corpus is replayed by pytest."""
