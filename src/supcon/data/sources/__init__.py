"""Every kind of DATA: folders, manifests, arrays, shards, Hugging Face, named sets."""
