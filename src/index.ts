/** The library: the record, profiles → records, what ops compute, records → rows, rows → text. */
export * from './record/record.js';
export type { GraphNode, GraphOrigin } from './record/fields/graph-node.js';
export {
  PART_VERSION,
  type PartIdentity,
  type PartialRecord,
  type PartRecord,
  type PartType,
} from './record/partial.js';
export type { Transfer } from './record/fields/transfer.js';
export { Diagnostics, DIAGNOSTICS, type DiagnosticName, type Severity } from './record/diagnostics.js';
export { EXIT, UsageError, UserError } from './record/errors.js';
export { encodeLine } from './record/jsonl.js';
export { LiteralError, parseLiteral, type PythonValue } from './record/python/python-literal.js';

export { checkProfile, readProfile, type ProfileOptions } from './parse/profile.js';
export type {
  LiveFormat,
  LiveOptions,
  LiveStream,
  OutputFolder,
  Probe,
  Reader,
  ReadOptions,
  SniffResult,
  Unreadable,
} from './parse/reader.js';
export { detect, READERS } from './parse/registry.js';
export { UNREADABLE } from './parse/unreadable/unreadable.js';

export type { Family, KernelFacts, Param, KernelRole, Work } from './ops/family.js';
export type { LengthSums, ServedPart, ServingPhase, ServingStep } from './record/serving-step.js';
export { resolveWork, type ResolvedWork } from './ops/resolve-work.js';
export { FAMILIES, familyOf } from './ops/table.js';
export { algorithmBytes, busBytes } from './ops/collective-bytes.js';
export { TENSOR_CORE_RULES, tensorCore, type TensorCore } from './ops/tensor-core.js';

export type { Annotated } from './prof/annotate.js';
export { chooseColumns, COLUMNS, DEFAULT_COLUMNS, requireColumn } from './prof/columns/columns.js';
export type { KernelColumn } from './prof/columns/kernel-column.js';
export { textOf, type Column, type CellValue } from './table/column.js';
export { DEVICES, type DeviceRow, type PeakRates, type Rates } from './prof/roofline/devices.js';
export { explain } from './prof/report/explain.js';
export { AGGREGATES } from './prof/by/aggregates.js';
export { parseGrouping, type Grouping, type GroupingText } from './prof/by/grouping.js';
export { KernelGroups } from './prof/by/groups.js';
export type { GroupRow } from './prof/by/group-rows.js';
export { openFile, openStream, type Input } from './prof/input/lines.js';
export { ForwardKernels, type Forward, type Pairing } from './prof/work/forward-pairing.js';
export { peaksOf, type Peaks } from './prof/roofline/peaks.js';
export { readRecords } from './prof/input/records.js';
export { Annotator, report, type RecordBatches, type ReportOptions } from './prof/report/report.js';
export {
  classifyRoofline,
  type RooflineBound,
  type Load,
  type Placement,
  type Roof,
} from './prof/roofline/roofline.js';
export { parseSort, parseWhere, type KernelFilter, type KernelSortKey } from './prof/query/kernel-query.js';
export { summaryLine, ReportTally } from './prof/report/report-tally.js';

export type { Format, Layout, Packed, Sheet } from './write/format.js';
export { FORMATS, loadFormat, requireFormat } from './write/formats.js';
