"""Durations as text."""


def about(seconds: float) -> str:
    """A rounded duration, in seconds, minutes, hours or days.

    >>> about(0.4), about(75), about(1000), about(12_600), about(400_000)
    ('a second', '75 seconds', '17 minutes', '3.5 hours', '4.6 days')
    """
    if seconds < 100:
        return f"{round(seconds)} seconds" if round(seconds) > 1 else "a second"
    if seconds < 100 * 60:
        return f"{round(seconds / 60)} minutes"
    if seconds < 48 * 3600:
        return f"{seconds / 3600:.1f} hours"
    return f"{seconds / 86400:.1f} days"
