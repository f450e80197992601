"""Plans a run before it starts: settings adapted to data and machine, time, memory, faster alternatives."""
