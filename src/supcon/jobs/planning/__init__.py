"""What a run will do, before it starts: settings that fit data and machine, time, memory, what would be faster."""
