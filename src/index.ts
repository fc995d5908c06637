/**
 * The public library: records, opening inputs as records, answers, what ops compute, columns and filters of kernels, and
 * formatting rows as text.
 */
export * from './record/record.js';
export type { GraphNode, GraphOrigin } from './record/fields/graph-node.js';
export {
  PART_VERSION,
  type PartIdentity,
  type PartialRecord,
  type PartRecord,
  type PartType,
} from './record/partial.js';
export type { Transfer } from './record/fields/collective.js';
export { Diagnostics, DIAGNOSTICS, type DiagnosticName, type Severity } from './record/diagnostics.js';
export { EXIT, UsageError, UserError } from './record/errors.js';
export { encodeLine } from './record/jsonl.js';
export { LiteralError, parseLiteral, type PythonValue } from './record/python/python-literal.js';

export { open, type OpenOptions, type Records } from './library/open.js';
export type { AnswerInput, ReadingOptions } from './library/options.js';
export type { DeviceOptions } from './library/options.js';
export {
  advise,
  check,
  criticalPath,
  memory,
  overlap,
  queues,
  ranks,
  sequences,
  steps,
  summary,
  type AdviseOptions,
  type CriticalPathOptions,
  type MemoryOptions,
  type OverlapOptions,
  type QueuesOptions,
  type SequencesOptions,
  type StepsOptions,
  type SummaryOptions,
} from './library/answers.js';
export { kernels } from './library/answers.js';
export { diff, type DiffOptions } from './library/answers.js';
export type { CheckDocument } from './prof/check/profile-check.js';
export type { CheckVerdict, Reason } from './prof/check/reason.js';
export type { PathDocument } from './prof/critical-path/critical-path.js';
export type { OverlapDocument } from './prof/overlap/overlap.js';
export type { SummaryDocument } from './prof/summary/details.js';
export type * from './prof/summary/summary-data.js';
export type * from './prof/summary/summary-data.js';
export type { RanksDocument, RankFile, StragglerDocument } from './prof/ranks/ranks-document.js';
export type { AdviceLine, VerdictLine } from './prof/advise/adviser.js';
export type { Finding, Gain, Silence } from './prof/advise/finding.js';
export type { MemoryDocument, MemorySeries, PeakMemory } from './prof/memory/memory-report.js';
export type { CommonDocument, ComparisonDocument, DiffDocument, DiffFigures } from './prof/diff/diff-documents.js';
export type { RowObject } from './table/column.js';

export type { Family, KernelFacts, Param, KernelRole, Work } from './ops/family.js';
export type { LengthSums, ServedPart, ServingPhase, ServingStep } from './record/serving-step.js';
export { resolveWork, type ResolvedWork } from './ops/resolve-work.js';
export { FAMILIES, familyOf } from './ops/table.js';
export { algorithmBytes, busBytes } from './ops/collective-bytes.js';
export { TENSOR_CORE_RULES, tensorCore, type TensorCore } from './ops/kernels/tensor-core.js';

export type { Annotated, KernelColumn } from './prof/annotate.js';
export { chooseColumns, COLUMNS, DEFAULT_COLUMNS, requireColumn } from './prof/columns/columns.js';
export { textOf, type Column, type CellValue } from './table/column.js';
export { DEVICES, type DeviceRow, type PeakRates, type Rates } from './prof/roofline/devices.js';
export { explain } from './prof/report/explain.js';
export { AGGREGATES } from './prof/by/aggregates.js';
export { parseGrouping, type Grouping, type GroupingText } from './prof/by/grouping.js';
export { KernelGroups } from './prof/by/groups.js';
export type { GroupRow } from './prof/by/group-rows.js';
export type { Forward, Pairing } from './prof/work/forward-pairing.js';
export { peaksOf, type Peaks } from './prof/roofline/peaks.js';
export {
  classifyRoofline,
  type RooflineBound,
  type Load,
  type Placement,
  type Roof,
} from './prof/roofline/roofline.js';
export { parseSort, parseWhere, type KernelFilter, type KernelSortKey } from './prof/query/kernel-query.js';

export type { Format, Layout, Packed, Sheet } from './write/columns.js';
export { FORMATS, loadFormat, requireFormat } from './write/formats.js';
