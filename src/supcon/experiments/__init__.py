"""The paper's tables and figures: their grids, published values, tables and verdicts."""

from typing import TYPE_CHECKING

from supcon.base.lazy_imports import lazy_imports

if TYPE_CHECKING:
    from supcon.experiments.cell import Cell as Cell
    from supcon.experiments.cell import Request as Request
    from supcon.experiments.cell import cells_by_key as cells_by_key
    from supcon.experiments.experiment import Experiment as Experiment
    from supcon.experiments.experiment import Extra as Extra
    from supcon.experiments.experiment import Outcome as Outcome
    from supcon.experiments.experiment import Setting as Setting
    from supcon.experiments.experiment_charts import charts_of as charts_of
    from supcon.experiments.experiment_text import circumstances as circumstances
    from supcon.experiments.experiment_text import differs_text as differs_text
    from supcon.experiments.experiment_text import experiment_markdown as experiment_markdown
    from supcon.experiments.experiment_text import overview_markdown as overview_markdown
    from supcon.experiments.experiment_text import where_text as where_text
    from supcon.experiments.finished_cells import FinishedCell as FinishedCell
    from supcon.experiments.finished_cells import add_cells as add_cells
    from supcon.experiments.finished_cells import from_json as from_json
    from supcon.experiments.finished_cells import merge as merge
    from supcon.experiments.finished_cells import pack as pack
    from supcon.experiments.finished_cells import read_cells as read_cells
    from supcon.experiments.finished_cells import to_json as to_json
    from supcon.experiments.paper_and_ours import ResultTable as ResultTable
    from supcon.experiments.paper_and_ours import result_table as result_table
    from supcon.experiments.paper_and_ours import table_by_measure as table_by_measure
    from supcon.experiments.paper_and_ours import table_csv as table_csv
    from supcon.experiments.registry import EXPERIMENTS as EXPERIMENTS
    from supcon.experiments.registry import find_experiments as find_experiments
    from supcon.experiments.results import Results as Results
    from supcon.experiments.results import gather as gather
    from supcon.experiments.results import is_finished as is_finished
    from supcon.experiments.results import needed_cells as needed_cells
    from supcon.experiments.scale import SCALES as SCALES
    from supcon.experiments.scale import Scale as Scale
    from supcon.experiments.scale import ScaleName as ScaleName
    from supcon.experiments.verdict import Verdict as Verdict
    from supcon.experiments.verdict import judge as judge
    from supcon.experiments.verdict import method_text as method_text
else:
    __getattr__, __dir__ = lazy_imports(__name__, __file__)
