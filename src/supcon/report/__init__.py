"""The report of a run: result types, tables, plots and pages."""

from typing import TYPE_CHECKING

from supcon.base.lazy_imports import lazy_imports

if TYPE_CHECKING:
    from supcon.report.pages.audit_page import AuditPage as AuditPage
    from supcon.report.pages.audit_page import DuplicatePair as DuplicatePair
    from supcon.report.pages.audit_page import HardPair as HardPair
    from supcon.report.pages.audit_page import SuspectLabel as SuspectLabel
    from supcon.report.pages.audit_page import build_audit_page as build_audit_page
    from supcon.report.pages.comparison_page import build_comparison as build_comparison
    from supcon.report.pages.comparison_page import verdicts as verdicts
    from supcon.report.pages.experiment_page import ExperimentPage as ExperimentPage
    from supcon.report.pages.experiment_page import build_experiment_page as build_experiment_page
    from supcon.report.pages.markdown import report_markdown as report_markdown
    from supcon.report.pages.model_card_text import model_card_text as model_card_text
    from supcon.report.pages.run_page import build_report as build_report
    from supcon.report.pages.search_page import FoundImage as FoundImage
    from supcon.report.pages.search_page import SearchPage as SearchPage
    from supcon.report.pages.search_page import build_search_page as build_search_page
    from supcon.report.pages.training_page import TrainingState as TrainingState
    from supcon.report.pages.training_page import build_training_page as build_training_page
    from supcon.report.plots.chart import Chart as Chart
    from supcon.report.plots.chart import ChartPoint as ChartPoint
    from supcon.report.plots.chart import ChartSeries as ChartSeries
    from supcon.report.plots.chart_plot import chart_plot as chart_plot
    from supcon.report.plots.chart_svg import chart_svg as chart_svg
    from supcon.report.plots.corruption_plots import Corruptions as Corruptions
    from supcon.report.plots.corruption_plots import corruptions as corruptions
    from supcon.report.plots.picture_uri import picture_uri as picture_uri
    from supcon.report.plots.study_plots import Study as Study
    from supcon.report.plots.study_plots import studies as studies
    from supcon.report.run_pictures import CorruptedSamples as CorruptedSamples
    from supcon.report.run_pictures import Pairs as Pairs
    from supcon.report.run_pictures import PairShares as PairShares
    from supcon.report.run_pictures import TrainingViews as TrainingViews
    from supcon.report.run_results import Curve as Curve
    from supcon.report.run_results import Outputs as Outputs
    from supcon.report.run_results import RunResults as RunResults
    from supcon.report.tables.agreement import same_test_images as same_test_images
    from supcon.report.tables.measure_names import Measure as Measure
    from supcon.report.tables.measure_names import describe as describe
    from supcon.report.tables.measure_names import percent as percent
    from supcon.report.tables.measure_table import measure_rows as measure_rows
    from supcon.report.tables.pooling import ComparisonRow as ComparisonRow
    from supcon.report.tables.pooling import Pooled as Pooled
    from supcon.report.tables.pooling import RunGroup as RunGroup
    from supcon.report.tables.pooling import comparison_rows as comparison_rows
    from supcon.report.tables.pooling import group_runs as group_runs
    from supcon.report.tables.published_transfer import ROWS as ROWS
    from supcon.report.tables.published_transfer import TABLE_4 as TABLE_4
    from supcon.report.tables.settings import differences as differences
    from supcon.report.tables.settings import setting as setting
    from supcon.report.tables.transfer_table import transfer_rows as transfer_rows
    from supcon.report.training_images import AuditedLabel as AuditedLabel
    from supcon.report.training_images import Suspects as Suspects
    from supcon.report.training_images import TrainingImages as TrainingImages
else:
    __getattr__, __dir__ = lazy_imports(__name__, __file__)
