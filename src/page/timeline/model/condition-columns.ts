/**
 * Fields of events that conditions may use: columns of `dprof` that events can answer, columns in the facts of a kernel
 * or a DMA packet, and timeline columns. For other columns of `dprof`, it says what to use instead.
 */
import { elementAt } from '../../../containers/element.js';
import { DIRECTIONS, isHostRange, type LaneIds, type TextColumn } from '../../../prof/html/timeline/timeline-data.js';
import type { CellValue, Column, ColumnShape } from '../../../table/column.js';
import {
  countOf,
  durOf,
  endOf,
  isOnDevice,
  kindOf,
  laneOf,
  shortNameOf,
  startOf,
  tableNameOf,
  textOf,
  type TimelineEvents,
} from '../events/events.js';
import { factsOf, type FactLists } from '../events/kernel-facts.js';

const HERE: Readonly<Record<string, string>> = {
  altseq: 'seq',
  fwd: 'dir==bprop with op or seq',
  sub: 'op with seq',
  mod: 'op or layer',
  inner: 'op',
  graph: 'kind==graph or name',
  origin: 'name',
  verdict: 'tc',
  tcwhy: 'tc',
  tceligible: 'tc',
  mmflops: 'flops',
  cubeflops: 'flops',
  cuberatio: 'flops',
  hwflops: 'flops',
  hwflopsratio: 'tflops',
  hwbytes: 'bytes',
  hwbytesratio: 'gbps',
  hwtc: 'tc',
  peak: 'tflops',
  bw: 'gbps',
  floor: 'bound',
  gap: 'bound',
  collective: 'kind==communication with op',
  ranks: 'kind==communication with op',
  algbytes: 'kind==communication with bytes',
  busbytes: 'kind==communication with bytes',
  engine: 'lane',
  optype: 'op or name',
  wait: 'sil',
  counters: 'flops or bytes',
  phase: 'step',
  batch: 'step',
  ctxtokens: 'step',
  gentokens: 'step',
  part: 'layer or op',
  long: 'name (without its return type)',
  calls: 'op',
  ranges: 'range',
  ownranges: 'range',
};

/** Prefix for the column of one counter: `counter:NAME`. */
const COUNTER = 'counter:';

export const ELSEWHERE: readonly string[] = Object.keys(HERE);

/** What to use in a timeline instead of a column; null for other names. */
export const insteadOf = (key: string): string | null =>
  (Object.hasOwn(HERE, key) ? HERE[key] : null) ?? (key.startsWith(COUNTER) ? 'flops or bytes' : null);

interface FactColumnShape extends Partial<Pick<ColumnShape, 'type' | 'list' | 'separator' | 'suffix'>> {
  readonly key: string;
  /** Label of the fact, as in `--explain`. */
  readonly label: string;
  /** @returns null when the text says that the value is unknown */
  readonly read: (text: string) => CellValue;
}

const UNKNOWN: ReadonlySet<string> = new Set(['na', 'unknown', '-', '']);

const word = (text: string | undefined): string | null => (text === undefined || UNKNOWN.has(text) ? null : text);

/** A list, which is written as - when empty. */
const listBy =
  (separator: string) =>
  (text: string): CellValue =>
    text === '-' ? [] : text.split(separator);

/** The number at the beginning of a string: '32 a thread'. */
const leading = (text: string): number | null => {
  const number = parseFloat(text);
  return Number.isNaN(number) ? null : number;
};

/** The percentage of '66.67 %: 32 of 48 warps', computed from the counts, which are not rounded. */
function percentOfCounts(text: string): number | null {
  const [, count, all] = /: (\d+) of (\d+) warps/.exec(text) ?? [];
  return count === undefined ? null : 100 * (Number(count) / Number(all));
}

/** Parses '128,2,1' into numbers. */
const extent = (text: string | undefined): CellValue => word(text)?.split(',').map(Number) ?? null;

const FACT_COLUMNS: readonly FactColumnShape[] = [
  { key: 'grid', label: 'grid, block', list: 'int', read: (text) => extent(text.split(' / ')[0]) },
  { key: 'block', label: 'grid, block', list: 'int', read: (text) => extent(text.split(' / ')[1]) },
  { key: 'regs', label: 'registers', type: 'int', read: leading },
  { key: 'smem', label: 'shared mem', type: 'int', read: leading },
  { key: 'occ', label: 'occupancy', type: 'real', read: percentOfCounts },
  { key: 'occby', label: 'occupancy', read: (text) => text.split(', by ')[1] ?? null },
  { key: 'role', label: 'role', read: word },
  { key: 'params', label: 'params', list: 'str', suffix: ',', read: listBy(', ') },
  { key: 'trace', label: 'trace', list: 'str', read: listBy(' > ') },
  { key: 'fused', label: 'fused', list: 'str', separator: '+', read: listBy(', ') },
  { key: 'bound', label: 'bound', read: (text) => word(text.split(';')[0]) },
  { key: 'tensor', label: 'tensor', read: word },
  { key: 'source', label: 'source', read: word },
  { key: 'dest', label: 'destination', read: word },
];

/** The values of one fact, by list number. */
class FactColumn {
  readonly #values = new Map<number, CellValue>();

  constructor(
    private readonly facts: FactLists,
    private readonly label: string,
    private readonly read: (text: string) => CellValue,
  ) {}

  of(list: number): CellValue {
    const known = this.#values.get(list);
    if (known !== undefined) return known;
    const fact = factsOf(this.facts, list).find(([label]) => label === this.label);
    const value = fact === undefined ? null : this.read(fact[1]);
    this.#values.set(list, value);
    return value;
  }
}

/** What a value requires and merged bars lack: individual events, or their launch and facts. */
type ConditionNeed = 'single' | 'details';

/** A column whose rows are events by index. */
export interface ConditionColumn extends Column<number> {
  readonly needs?: ConditionNeed;
}

type EventValue = (event: number) => CellValue;
type ValueOf = (events: TimelineEvents) => EventValue;

interface ConditionField extends Omit<ConditionColumn, 'value' | 'key' | 'header' | 'width' | 'doc'> {
  readonly keys: readonly string[];
  readonly of: ValueOf;
}

/** Values for the use of tensor cores: as shown on the page → as in the column `tc` of `dprof`. */
const TC_VALUES: Readonly<Record<string, CellValue>> = {
  yes: ['yes', 1],
  no: ['no', 0],
  'not applicable': ['not applicable', '-'],
  undetermined: ['undetermined', '?'],
};

const known = (value: number): number | null => (value < 0 ? null : value);
const ratio = (amount: number | null, by: number | null): number | null =>
  amount === null || by === null || by <= 0 ? null : amount / by;

const ofText =
  (column: TextColumn): ValueOf =>
  (events) =>
  (event) =>
    textOf(events, column, event);

const ofNumbers =
  (numbersOf: (events: TimelineEvents) => Float64Array): ValueOf =>
  (events) => {
    const numbers = numbersOf(events);
    return (event) => known(elementAt(numbers, event));
  };

/** An amount of a single event; null for a bar, which has only the amount of its longest event. */
const amountOf = (events: TimelineEvents, numbers: Float64Array, event: number): number | null =>
  countOf(events, event) > 1 ? null : known(elementAt(numbers, event));

const ofAmount =
  (numbersOf: (events: TimelineEvents) => Float64Array): ValueOf =>
  (events) =>
  (event) =>
    amountOf(events, numbersOf(events), event);

const ofId =
  (name: keyof LaneIds): ValueOf =>
  (events) =>
  (event) =>
    laneOf(events, event)?.ids?.[name] ?? null;

/** The lane of a thread's event, or of the launch of a device's event. */
const ofThread =
  (name: 'pid' | 'tid'): ValueOf =>
  (events) =>
  (event) => {
    const host = isOnDevice(events, event) ? elementAt(events.arrows.launcher, event) : event;
    return host === -1 ? null : (laneOf(events, host)?.ids?.[name] ?? null);
  };

const launchName: ValueOf = (events) => (event) => {
  const launch = elementAt(events.arrows.launcher, event);
  return launch === -1 ? null : textOf(events, 'name', launch);
};

/** A kernel's time in the queue, in ns; for a packet, the name of its queue. */
const queue: ValueOf = (events) => (event) => {
  const text = textOf(events, 'queue', event);
  const launch = elementAt(events.arrows.launcher, event);
  if (text !== null || launch === -1) return text;
  return known(startOf(events, event) - endOf(events, launch));
};

const flops = (events: TimelineEvents): Float64Array => events.flops;
const bytes = (events: TimelineEvents): Float64Array => events.bytes;

/** Amount divided by duration. @param unit factor from FLOP or bytes per ns */
const ofRate =
  (numbersOf: (events: TimelineEvents) => Float64Array, unit: number): ValueOf =>
  (events) =>
  (event) =>
    ratio(amountOf(events, numbersOf(events), event), durOf(events, event) * unit);

const ofTc: ValueOf = (events) => (event) => {
  const use = textOf(events, 'tc', event);
  return use === null ? null : (TC_VALUES[use] ?? use);
};

/** A kernel's list may be empty, which is not the same as unknown; for other events it is unknown. */
const ofKernel = (events: TimelineEvents, event: number): CellValue => (elementAt(events.id, event) > 0 ? [] : null);

const layers: ValueOf = (events) => (event) => textOf(events, 'layer', event)?.split('/') ?? ofKernel(events, event);

/** The name of a host range; kernels know the ranges that are layers. */
const ranges: ValueOf = (events) => {
  const layersOf = layers(events);
  return (event) => {
    if (!isHostRange(kindOf(events, event))) return layersOf(event);
    const name = tableNameOf(events, event);
    return name === null ? null : [name];
  };
};

const sequence: ValueOf = (events) => (event) => {
  const seq = elementAt(events.seq, event);
  return seq < 0 ? ofKernel(events, event) : [seq];
};

const FIELDS: readonly ConditionField[] = [
  { keys: ['name'], type: 'str', of: ofText('name') },
  { keys: ['kernel'], type: 'str', of: (events) => (event) => shortNameOf(events, event) },
  { keys: ['op'], type: 'str', of: ofText('op') },
  { keys: ['layer'], type: 'str', list: 'str', separator: ':', of: layers },
  { keys: ['range'], type: 'str', list: 'str', separator: ':', of: ranges },
  { keys: ['category'], type: 'str', of: ofText('category') },
  { keys: ['dtype'], type: 'str', of: ofText('dtype') },
  { keys: ['operands'], type: 'str', of: ofText('operands') },
  { keys: ['queue'], type: 'str', of: queue, needs: 'details' },
  { keys: ['tc'], type: 'str', of: ofTc },
  { keys: ['kind'], type: 'str', of: (events) => (event) => kindOf(events, event) },
  { keys: ['lane'], type: 'str', of: (events) => (event) => laneOf(events, event)?.name ?? null },
  { keys: ['group'], type: 'str', of: (events) => (event) => laneOf(events, event)?.group ?? null },
  { keys: ['dir'], type: 'str', of: (events) => (event) => DIRECTIONS[elementAt(events.dir, event)] ?? null },
  { keys: ['sil', 'dur'], type: 'int', of: (events) => (event) => durOf(events, event) },
  { keys: ['start'], type: 'int', of: (events) => (event) => events.origin + startOf(events, event) },
  { keys: ['end'], type: 'int', of: (events) => (event) => events.origin + endOf(events, event) },
  { keys: ['flops'], type: 'real', of: ofAmount(flops), needs: 'single' },
  { keys: ['bytes'], type: 'real', of: ofAmount(bytes), needs: 'single' },
  // FLOP/ns are GFLOP/s, bytes/ns are GB/s.
  { keys: ['tflops'], type: 'real', of: ofRate(flops, 1000), needs: 'single' },
  { keys: ['gbps', 'gbs'], type: 'real', of: ofRate(bytes, 1), needs: 'single' },
  {
    keys: ['ai'],
    type: 'real',
    of: (events) => (event) => ratio(amountOf(events, events.flops, event), amountOf(events, events.bytes, event)),
    needs: 'single',
  },
  { keys: ['id', 'idx'], type: 'int', of: (events) => (event) => elementAt(events.id, event) || null },
  { keys: ['pc'], type: 'int', of: ofNumbers(({ pc }) => pc) },
  { keys: ['seq'], type: 'str', list: 'int', of: sequence },
  { keys: ['step'], type: 'int', of: ofNumbers(({ step }) => step) },
  { keys: ['corr'], type: 'int', of: ofNumbers(({ corr }) => corr) },
  { keys: ['device'], type: 'int', of: ofId('device') },
  { keys: ['stream'], type: 'int', of: ofId('stream') },
  { keys: ['rank'], type: 'int', of: ofId('rank') },
  { keys: ['profile'], type: 'int', of: ofId('profile') },
  { keys: ['pid'], type: 'int', of: ofThread('pid'), needs: 'details' },
  { keys: ['tid'], type: 'int', of: ofThread('tid'), needs: 'details' },
  { keys: ['api'], type: 'str', of: launchName, needs: 'details' },
  ...FACT_COLUMNS.map(({ key, label, read, ...shape }): ConditionField => ({
    ...{ keys: [key], type: 'str', needs: 'details' },
    ...shape,
    of: (events) => {
      const facts = new FactColumn(events.facts, label, read);
      return (event) => facts.of(elementAt(events.factList, event));
    },
  })),
];

/** Names of all fields, including synonyms. */
export const CONDITION_KEYS: readonly string[] = FIELDS.flatMap(({ keys }) => keys);

/** @param query a query with `/` between layers, if it contains a path as written on the page */
export function conditionColumns(events: TimelineEvents, query: string): readonly ConditionColumn[] {
  return FIELDS.flatMap(({ keys, of: valueOf, ...shape }) => {
    const value = valueOf(events);
    const slashed = shape.separator !== undefined && query.includes('/') ? { separator: '/' } : {};
    return keys.map((key) => ({ ...shape, ...slashed, key, header: key, width: 0, doc: '', value }));
  });
}
