"""The audit's report as text: for a terminal, a program, a pull request and a browser.

Every renderer is a pure function of a `Report` and returns one string. Names and examples are shown as the report has
them, which is masked; a value of an event is shown only where `Leak.revealed` holds one, and then every form of the
report says so at its top. Import the renderer from its own module: rich and jinja2 are loaded by the one that is used.

- `scrubber.audit.rendering.text.render_text(report, *, width, color)`
- `scrubber.audit.rendering.json_form.render_json(report)`
- `scrubber.audit.rendering.markdown.render_markdown(report)`
- `scrubber.audit.rendering.page.render_html(report)`
"""
