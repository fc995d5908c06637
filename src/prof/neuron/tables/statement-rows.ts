/** Tables about the profile as a whole, its program and its cores. */
import { PS_PER_NS } from '../../../containers/interval-union.js';
import { jsonOf } from '../../../record/control-characters.js';
import { NEURON_ENGINES } from '../../../record/neuron/neuron-cores.js';
import { HEADER_FACTS, QUEUE_LABELS, TENSOR_ROLES, TOOL_FACTS } from '../../../record/neuron/tool-fields.js';
import type { LayerRecord, NoticeRecord, ProfileRecord, SampleRecord, TensorRecord } from '../../../record/record.js';
import type { MetricRow } from '../metric-summary.js';
import { named, rowOf, single, texts, type ToolCell, type ToolFields, type TablePlace } from './event-rows.js';
import type { CoreState, InstructionSums } from './core-state.js';

const GHZ = 1e9;
/** The tool shows times from the start of an execution as dates from the Unix epoch. */
const dateOf = (ns: number): string => {
  const rest = ns % 1e9;
  const seconds = new Date((ns - rest) / 1e6).toISOString().slice(0, -5);
  return `${seconds}${rest === 0 ? '' : `.${String(rest).padStart(9, '0')}`}Z`;
};

type Facts = NonNullable<ProfileRecord['facts']>;
const factsOf = ({ facts }: ProfileRecord): Facts => facts ?? {};
const numberOf = (fact: ToolCell): number | undefined => (typeof fact === 'number' ? fact : undefined);
const gigahertz = (fact: ToolCell): number | undefined => (typeof fact === 'number' ? fact / GHZ : undefined);
const isFlag = (fact: ToolCell): boolean => fact === 'yes';

interface ProgramPlace {
  readonly subgraphs: number;
}

const METADATA: ToolFields<ProfileRecord, ProgramPlace> = [
  ['ntff_version', (profile) => numberOf(factsOf(profile)['ntffVersion'])],
  ['num_subgraphs', (_profile, { subgraphs }) => (subgraphs > 0 ? subgraphs : undefined)],
  ['num_physical_cores', (profile) => numberOf(factsOf(profile)['cores'])],
  ['vnc_enabled', (profile) => isLogical(factsOf(profile)['lncSize'])],
  ['first_hw_timestamp', ({ dur }) => (dur === null ? undefined : 0)],
  ['last_hw_timestamp', ({ dur }) => dur ?? undefined],
  ['first_ts', ({ dur }) => (dur === null ? undefined : dateOf(0))],
  ['last_ts', ({ dur }) => (dur === null ? undefined : dateOf(dur))],
  ['ticks_per_nanosec', (profile) => (factsOf(profile)['totalTimePs'] === undefined ? undefined : PS_PER_NS)],
  ['pe_clock_freq', (profile) => gigahertz(factsOf(profile)['peClockHz'])],
  ['pe_clock_others', (profile) => gigahertz(factsOf(profile)['clockHz'])],
  ['pe_num_rows', (profile) => numberOf(factsOf(profile)['peRows'])],
  ['pe_num_cols', (profile) => numberOf(factsOf(profile)['peCols'])],
  ['dma_ddr_bandwidth', (profile) => numberOf(factsOf(profile)['dmaBytesPerS'])],
  ['hbm_ddr_bandwidth', (profile) => numberOf(factsOf(profile)['hbmBytesPerS'])],
  ['is_simulation', (profile) => isFlag(factsOf(profile)['simulation'])],
];

/** Several physical cores work together as one logical core. */
const isLogical = (size: ToolCell): boolean | undefined => (typeof size === 'number' ? size > 1 : undefined);

const stem = (name: string): string => name.replace(/(?:_profile_full)?\.(?:ntff|json)(?:\.gz)?$/, '');

const PROFILE_INFO: ToolFields<ProfileRecord, null> = [
  ['profile_name', ({ file, facts }) => stem(String(facts?.['capture'] ?? file))],
  // Only the base name: records have no paths.
  ['ntff_filename', ({ file, format, facts }) => facts?.['capture'] ?? (format === 'ntff' ? file : undefined)],
  ['profiler_version', ({ tool }) => (tool === null ? undefined : /^neuron-profile (.+)$/.exec(tool)?.[1])],
  ...named<ProfileRecord, null>(TOOL_FACTS, factsOf),
];

const NEFF_HEADER: ToolFields<ProfileRecord, null> = [
  ...texts<ProfileRecord, null>(HEADER_FACTS, factsOf),
  ['major_version', (profile) => String(factsOf(profile)['neffVersion']).split('.')[0]],
  ['minor_version', (profile) => String(factsOf(profile)['neffVersion']).split('.')[1]],
];

const TENSOR_TYPES = new Map<string, string>(Object.entries(TENSOR_ROLES).map(([type, role]) => [role, type]));

const TENSOR: ToolFields<TensorRecord, null> = [
  ['variable_name', ({ name }) => name],
  ['type', ({ role }) => (role === null ? '' : TENSOR_TYPES.get(role))],
  ['shape', ({ shape }) => (shape === null ? '' : `[${shape.join(' ')}]`)],
  ['size', ({ bytes }) => (bytes === null ? undefined : String(bytes))],
  ['sg_name', () => ''],
];

const QUEUE: ToolFields<SampleRecord, TablePlace> = [
  ['subgraph', (_record, { subgraph }) => subgraph],
  ['q_idx', ({ value }) => value ?? undefined],
  ...named<SampleRecord, TablePlace>(QUEUE_LABELS, ({ labels }) => ({ type: 'unknown', ...labels })),
];

const MEMORY: ToolFields<SampleRecord, { readonly device: number | undefined }> = [
  ['nd', (_record, { device }) => device],
  ['nc', ({ device }) => device ?? undefined],
  ['usage_type', ({ labels }) => labels?.['kind']],
  ['amount_bytes', ({ value }) => value ?? undefined],
];

const WARNING: ToolFields<NoticeRecord, null> = [
  ['message', ({ text }) => text],
  ['category', ({ category }) => category ?? ''],
];

const LAYER: ToolFields<LayerRecord, TablePlace> = [
  ['name', ({ name }) => name],
  ['fully_qualified_subgraph', (_record, { subgraph }) => (subgraph === undefined ? undefined : `/${subgraph}`)],
  ['start', ({ start }) => start],
  ['end', ({ start, dur }) => (dur === null ? undefined : start + dur)],
  ['duration', ({ dur }) => dur ?? undefined],
];

/** A layer as counted by the tool. */
export function layerRow(record: LayerRecord, place: TablePlace): string {
  const counters = Object.entries(record.counters).map(([key, value]): [string, () => ToolCell] => [key, () => value]);
  return rowOf([...LAYER, ...counters], record, place);
}

const whole = (ps: number): number => Math.floor(ps / PS_PER_NS);

/**
 * A layer from the sums of its instructions. HFU and MFU of a layer are left out when there are FLOPs, because the
 * tool's denominator is unknown.
 */
export function summedLayerRow(name: string, { subgraph }: TablePlace, sums: InstructionSums): string {
  const { from, to, flops, transposeFlops } = sums;
  const engines = NEURON_ENGINES.flatMap((engine): [string, number][] => {
    const { count = 0, time = 0, active = 0 } = sums.engines.get(engine) ?? {};
    const key = `${engine.toLowerCase()}_engine`;
    return [
      [`${key}_instruction_count`, count],
      [`${key}_instruction_time`, whole(time)],
      [`${key}_active_time`, whole(active)],
      [`${key}_active_percent`, to > from ? single(active / (to - from)) : 0],
    ];
  });
  return jsonOf({
    name,
    ...(subgraph === undefined ? undefined : { fully_qualified_subgraph: `/${subgraph}` }),
    ...{ start: whole(from), end: whole(to), duration: whole(to - from) },
    ...Object.fromEntries(engines),
    ...{ tensor_engine_flop_count: flops, tensor_engine_model_flop_count: flops - transposeFlops },
    ...(flops === 0 ? { tensor_engine_hfu: 0, tensor_engine_mfu: 0 } : undefined),
  });
}

/** Numbers of a core, as recorded in the capture, or else computed from its records. */
export function coreRow(device: number, core: CoreState, clockHz: number | null): string {
  const { stated, all, packets, subgraph } = core;
  const counts = NEURON_ENGINES.map((engine): [string, number] => [
    `${engine.toLowerCase()}_engine_instruction_count`,
    all.engines.get(engine)?.count ?? 0,
  ]);
  const events = stated.get('event_count');
  const instructions = counts.reduce((sum, [, count]) => sum + count, 0);
  const cycles = clockHz === null || !Number.isFinite(all.to) ? undefined : Math.floor((all.to * clockHz) / 1e12);
  const computed: Record<string, number | undefined> = {
    ...Object.fromEntries(counts),
    trace_count: events === undefined ? undefined : events + instructions + packets,
    neuroncore_cycle_count: cycles,
  };
  return jsonOf({ sg_name: subgraph, nc_idx: device, ...computed, ...Object.fromEntries(stated) });
}

/** Groups of metrics, in the tool's order; throttling has one for each core. */
const GROUP_ORDER = [
  ...['overall_stats', 'data_movement', 'software_data_movement', 'hardware_data_movement', 'tensor_engine'],
  ...['vector_engine', 'scalar_engine', 'sync_engine', 'gpsimd_engine', 'cc_engine', 'system'],
] as const;

const groupOf = ({ name, group }: MetricRow): string =>
  group === 'throttling' ? `throttling_${/_(nc\d+)_/.exec(name)?.[1] ?? 'nc0'}` : group;

/** Group and definition of each metric of the summary; the definitions are in our own words. */
export function metricTables(rows: readonly MetricRow[]): ReadonlyMap<string, string> {
  const groups = rows.map((row) => [row.name, groupOf(row)] as const);
  const throttling = [...new Set(groups.map(([, group]) => group))].filter((group) => group.startsWith('throttling_'));
  const order = [...GROUP_ORDER, ...throttling.sort()].map((group, at) => [group, at] as const);
  return new Map([
    ['summary_groups', jsonOf(Object.fromEntries(groups))],
    ['summary_group_order', jsonOf(Object.fromEntries(order))],
    ['terminology', jsonOf(Object.fromEntries(rows.flatMap(({ name, doc }) => (doc === null ? [] : [[name, doc]]))))],
  ]);
}

export const metadataRow = (profile: ProfileRecord, place: ProgramPlace): string => rowOf(METADATA, profile, place);
export const profileInfoRow = (profile: ProfileRecord): string => rowOf(PROFILE_INFO, profile, null);
/** Null when the profile has no program header. */
export const headerRow = (profile: ProfileRecord): string | null =>
  factsOf(profile)['neffVersion'] === undefined ? null : rowOf(NEFF_HEADER, profile, null);
export const tensorRow = (record: TensorRecord): string => rowOf(TENSOR, record, null);
export const queueRow = (record: SampleRecord, place: TablePlace): string => rowOf(QUEUE, record, place);
export const memoryRow = (record: SampleRecord, device: number | undefined): string =>
  rowOf(MEMORY, record, { device });
export const warningRow = (record: NoticeRecord): string => rowOf(WARNING, record, null);
