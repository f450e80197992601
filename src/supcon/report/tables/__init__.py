"""What the pages and the terminal show as tables and sentences."""
