"""The work of each command, from start to end: train, evaluate, transfer, report, compare, reproduce."""

from typing import TYPE_CHECKING

from supcon.base.lazy_imports import lazy_imports

if TYPE_CHECKING:
    from supcon.jobs.evaluation.evaluate_run import evaluate as evaluate
    from supcon.jobs.evaluation.option_values import check_evaluation as check_evaluation
    from supcon.jobs.export_options import check_export as check_export
    from supcon.jobs.export_run import Exported as Exported
    from supcon.jobs.export_run import check_onnx as check_onnx
    from supcon.jobs.export_run import export as export
    from supcon.jobs.image_classifier import SupConClassifier as SupConClassifier
    from supcon.jobs.inference.audit_files import Correction as Correction
    from supcon.jobs.inference.audit_run import audit as audit
    from supcon.jobs.inference.embed_data import embed as embed
    from supcon.jobs.inference.new_class_folders import check_prototypes as check_prototypes
    from supcon.jobs.inference.new_classes import with_prototypes as with_prototypes
    from supcon.jobs.inference.run_gallery import open_gallery as open_gallery
    from supcon.jobs.inference.run_gallery import run_images as run_images
    from supcon.jobs.inference.search_run import SearchResult as SearchResult
    from supcon.jobs.inference.search_run import search as search
    from supcon.jobs.inference.search_values import check_search as check_search
    from supcon.jobs.planning.recipe_by_data import fitting_recipe as fitting_recipe
    from supcon.jobs.planning.resume_changes import longer_run as longer_run
    from supcon.jobs.push_run import push as push
    from supcon.jobs.reproduction.reproduce_experiments import StudyPlaces as StudyPlaces
    from supcon.jobs.reproduction.reproduce_experiments import StudyStatus as StudyStatus
    from supcon.jobs.reproduction.reproduce_experiments import check_cells_of_out as check_cells_of_out
    from supcon.jobs.reproduction.reproduce_experiments import reproduce as reproduce
    from supcon.jobs.reproduction.reproduce_experiments import study_status as study_status
    from supcon.jobs.reproduction.reproduce_experiments import take_cells as take_cells
    from supcon.jobs.reproduction.reproduce_experiments import write_tables as write_tables
    from supcon.jobs.run_folder import default_folder as default_folder
    from supcon.jobs.run_folder import folder_of as folder_of
    from supcon.jobs.run_pages import read_results as read_results
    from supcon.jobs.run_pages import write_comparison as write_comparison
    from supcon.jobs.run_pages import write_report as write_report
    from supcon.jobs.serve_run import serve as serve
    from supcon.jobs.train_run import dry_run as dry_run
    from supcon.jobs.train_run import resume as resume
    from supcon.jobs.train_run import run_recipe as run_recipe
    from supcon.jobs.train_run import train as train
    from supcon.jobs.transfer_learning.check_transfer import check_transfer as check_transfer
    from supcon.jobs.transfer_learning.config import Grid as Grid
    from supcon.jobs.transfer_learning.config import Protocol as Protocol
    from supcon.jobs.transfer_learning.config import TransferConfig as TransferConfig
    from supcon.jobs.transfer_learning.transfer_run import transfer as transfer
else:
    __getattr__, __dir__ = lazy_imports(__name__, __file__)
