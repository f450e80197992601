"""The HTML pages and their Markdown counterparts."""
