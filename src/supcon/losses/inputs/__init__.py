"""From what a caller gives to the pairs that the engine works on: checked, gathered from all processes, scaled."""
