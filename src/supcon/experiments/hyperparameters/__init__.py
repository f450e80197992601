"""How accuracy depends on what one sets."""
