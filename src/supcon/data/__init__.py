"""Image data sets: where images come from, how they are stored, how they are split and batched."""

from typing import TYPE_CHECKING

from supcon.base.lazy_imports import lazy_imports

if TYPE_CHECKING:
    from supcon.data.batches.expected_positives import positives_sentence as positives_sentence
    from supcon.data.batches.loader import BatchIndex as BatchIndex
    from supcon.data.batches.loader import EpochBatches as EpochBatches
    from supcon.data.batches.loader import ImageTransform as ImageTransform
    from supcon.data.batches.loader import ordered_loader as ordered_loader
    from supcon.data.batches.loader import training_loader as training_loader
    from supcon.data.batches.samplers import choose_draw as choose_draw
    from supcon.data.catalogue import CATALOGUE as CATALOGUE
    from supcon.data.catalogue import NAMES as NAMES
    from supcon.data.catalogue import Metric as Metric
    from supcon.data.config import DataConfig as DataConfig
    from supcon.data.config import SamplerName as SamplerName
    from supcon.data.early_check import check_present as check_present
    from supcon.data.early_check import check_spec as check_spec
    from supcon.data.image_data import ImageData as ImageData
    from supcon.data.image_data import Split as Split
    from supcon.data.image_data import join_splits as join_splits
    from supcon.data.image_sizes import data_summary as data_summary
    from supcon.data.listed_data import ListedData as ListedData
    from supcon.data.listed_data import list_data as list_data
    from supcon.data.listed_images import ListedImages as ListedImages
    from supcon.data.listed_images import images_in_splits as images_in_splits
    from supcon.data.listed_images import list_images as list_images
    from supcon.data.listed_images import open_picture as open_picture
    from supcon.data.load import decode_listed as decode_listed
    from supcon.data.load import load_data as load_data
    from supcon.data.sample import sample_images as sample_images
    from supcon.data.sources.arrays import Arrays as Arrays
    from supcon.data.sources.arrays import borrowed_arrays as borrowed_arrays
    from supcon.data.sources.arrays import keep_arrays as keep_arrays
    from supcon.data.sources.encoded_images import EncodedImages as EncodedImages
    from supcon.data.sources.encoded_images import ImageSource as ImageSource
    from supcon.data.sources.listing import Listing as Listing
    from supcon.data.sources.listing import class_folders as class_folders
    from supcon.data.sources.listing import list_files as list_files
    from supcon.data.sources.listing import list_splits as list_splits
    from supcon.data.sources.listing import subfolders as subfolders
    from supcon.data.sources.locations import data_root as data_root
    from supcon.data.sources.locations import present as present
    from supcon.data.spec import absolute as absolute
    from supcon.data.spec import read_spec as read_spec
    from supcon.data.spec import short_name as short_name
    from supcon.data.storage.decode import Layout as Layout
    from supcon.data.storage.decode import decode as decode
    from supcon.data.storage.decode import describe_bad as describe_bad
    from supcon.data.storage.decode import picture as picture
    from supcon.data.storage.decode_all import decode_all as decode_all
    from supcon.data.storage.decoded_batches import DecodedBatch as DecodedBatch
    from supcon.data.storage.decoded_batches import decoded_batches as decoded_batches
else:
    __getattr__, __dir__ = lazy_imports(__name__, __file__)
