"""Contents of the tables and sentences in the pages and the terminal."""
