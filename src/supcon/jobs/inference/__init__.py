"""The work of the commands that use a trained model: embed, search, and predict with new classes."""
