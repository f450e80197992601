"""Where images come from: the embedded digits, folders of images; their splits and batches.

Nothing is imported here, so that `supcon.data.config` and `supcon.data.catalogue` stay free of torch.
"""
