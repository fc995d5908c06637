/** Reads back the slices that `dprof perfetto` wrote from records and columns, by category. See `prof/perfetto`. */
import { entryOf } from '../../../containers/map-entry.js';
import type { CopyKind, Device, Direction, HostMemory, Labels, OpCall, TensorRole } from '../../../record/record.js';
import type { ProcessGroup } from '../../../record/fields/collective.js';
import type { ActivityDetails } from '../../trace/trace.js';
import { numberIn, textIn, type Slice, type SliceReading, type TakeSlice } from './slice.js';
import type { Args, ArgValue } from './track-events.js';

/** Entries of a list that is written as a string. */
const listIn = (value: ArgValue | undefined, separator: string): readonly string[] | undefined =>
  textIn(value)?.split(separator);

const extentIn = (value: ArgValue | undefined): number[] | null => listIn(value, ',')?.map(Number) ?? null;

/** Fields of an object, which are written as `counters.NAME`. */
function fieldsOf<T>(
  args: Args,
  object: string,
  is: (value: ArgValue) => value is T & ArgValue,
): Record<string, T> | undefined {
  const prefix = `${object}.`;
  const fields = [...args].flatMap(([name, value]) =>
    name.startsWith(prefix) && is(value) ? [[name.slice(prefix.length), value] as const] : [],
  );
  return fields.length === 0 ? undefined : Object.fromEntries(fields);
}

const isNumber = (value: ArgValue): value is number => typeof value === 'number';
const isLabel = (value: ArgValue): value is string | number => typeof value === 'number' || typeof value === 'string';

/** Fields of a kernel beyond its own columns; kernels that say the same share them. */
function detailsOf({ name, args }: Slice, reading: SliceReading): ActivityDetails {
  const [layer, mod, op] = [listIn(args.get('layer'), ':'), textIn(args.get('mod')), textIn(args.get('op'))];
  const calls = textIn(args.get('calls'));
  const trace = listIn(args.get('trace'), ',');
  const operands = textIn(args.get('operands'));
  const [dir, step] = [textIn(args.get('dir')) as Direction | null, numberIn(args.get('step'))];
  const stated = {
    ...(name === null ? undefined : { short: name }),
    ...(layer === undefined ? undefined : { layer }),
    ...(mod === null ? undefined : { mod: [mod] }),
    ...(op === null ? undefined : { op: [op] }),
    ...(dir === null ? undefined : { dir }),
    ...(step === null ? undefined : { step }),
    ...rangesOf(args),
    ...(trace === undefined ? undefined : { trace }),
    ...(operands === null ? undefined : { operands }),
    ...registersOf(args),
    ...measuredOf(args),
    ...communicationOf(args),
  };
  const shared = entryOf(reading.details, `${JSON.stringify(stated)}${calls ?? ''}`, () =>
    calls === null ? stated : { ...stated, calls: objectsIn(calls).filter(isCall) as unknown as OpCall[] },
  );
  const [callIds, callKernels] = [numbersIn(args.get('callIds')), numbersIn(args.get('callKernels'))];
  return callIds === null || callKernels === null ? shared : { ...shared, callIds, callKernels };
}

const numbersIn = (value: ArgValue | undefined): number[] | null =>
  typeof value === 'number' ? [value] : (listIn(value, ',')?.map(Number) ?? null);

type JsonObject = Readonly<Record<string, unknown>>;

/** The objects in a list that is written as JSON; none when it is damaged. */
function objectsIn(text: string | null): JsonObject[] {
  if (text === null) return [];
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list)
      ? list.filter((item): item is JsonObject => typeof item === 'object' && item !== null)
      : [];
  } catch {
    return [];
  }
}

const isCall = ({ mod, op, args }: JsonObject): boolean =>
  typeof mod === 'string' &&
  typeof op === 'string' &&
  Array.isArray(args) &&
  args.every((arg: unknown) => typeof arg === 'object' && arg !== null);

/** Registers of AMD's kernels beyond those for each thread. */
function registersOf(args: Args): Pick<ActivityDetails, 'accumRegisters' | 'scalarRegisters'> {
  const [accumRegisters, scalarRegisters] = [
    numberIn(args.get('accumRegisters')),
    numberIn(args.get('scalarRegisters')),
  ];
  return {
    ...(accumRegisters === null ? undefined : { accumRegisters }),
    ...(scalarRegisters === null ? undefined : { scalarRegisters }),
  };
}

/** Ranges around the launch: frames and ops of the host are ranges of the trace too, but not of the kernel. */
function rangesOf(args: Args): Pick<ActivityDetails, 'ranges' | 'callerRanges'> {
  const all = listIn(args.get('ranges'), '>') ?? [];
  const ownRanges = listIn(args.get('ownranges'), '>') ?? [];
  const caller = all.slice(0, all.length - ownRanges.length);
  return args.has('ownranges') ? { ranges: ownRanges, callerRanges: caller } : { ranges: all, callerRanges: [] };
}

/** The collective operation of a kernel, where its profile recorded one. */
function communicationOf(args: Args): Pick<ActivityDetails, 'collective'> {
  const op = textIn(args.get('collective.op'));
  if (op === null) return {};
  const [ordinal, peer] = [numberIn(args.get('collective.ordinal')), numberIn(args.get('collective.peer'))];
  return {
    collective: {
      ...{ op, dtype: textIn(args.get('collective.dtype')), group: textIn(args.get('collective.group')) },
      bytesIn: numberIn(args.get('collective.bytesIn')),
      bytesOut: numberIn(args.get('collective.bytesOut')),
      groupSize: numberIn(args.get('collective.groupSize')),
      ranks: listIn(args.get('collective.ranks'), ',')?.map(Number) ?? null,
      ...(ordinal === null ? undefined : { ordinal }),
      ...(peer === null ? undefined : { peer }),
    },
  };
}

/** Part of the device, values that it measured, and attributes. */
function measuredOf(args: Args): Pick<ActivityDetails, 'engine' | 'counters' | 'labels'> {
  const [counters, labels] = [fieldsOf(args, 'counters', isNumber), fieldsOf(args, 'labels', isLabel)];
  const engine = textIn(args.get('engine'));
  return {
    ...(engine === null ? undefined : { engine }),
    ...(counters === undefined ? undefined : { counters }),
    ...(labels === undefined ? undefined : { labels }),
  };
}

const kernel: TakeSlice = (slice, reading) => {
  const { args } = slice;
  reading.trace.kernel({
    ...workOf(slice, reading),
    name: textIn(args.get('name')) ?? slice.name,
    ...{ grid: extentIn(args.get('grid')), block: extentIn(args.get('block')) },
    ...{ registers: numberIn(args.get('registers')), sharedBytes: numberIn(args.get('sharedBytes')) },
    ...{ graphId: numberIn(args.get('graph.id')) },
    details: detailsOf(slice, reading),
  });
};

const copy: TakeSlice = (slice, reading) => {
  const { args } = slice;
  const kind = textIn(args.get('kind')) as CopyKind | null;
  const hostMemory = textIn(args.get('hostMemory')) as HostMemory | null;
  reading.trace.copy({
    ...workOf(slice, reading),
    details: { ...measuredOf(args), ...queueOf(args) },
    kind,
    hostMemory,
    bytes: numberIn(args.get('bytes')),
  });
};

/** The queue that a copy went through. */
function queueOf(args: Args): Pick<ActivityDetails, 'queue' | 'queueType'> {
  const [queue, queueType] = [numberIn(args.get('queue')), textIn(args.get('queueType'))];
  return { ...(queue === null ? undefined : { queue }), ...(queueType === null ? undefined : { queueType }) };
}

const set: TakeSlice = (slice, reading) => {
  const [bytes, value] = [numberIn(slice.args.get('bytes')), numberIn(slice.args.get('value'))];
  reading.trace.set({ ...workOf(slice, reading), ...measuredOf(slice.args), bytes, value });
};

const sync: TakeSlice = (slice, reading) => {
  reading.trace.sync({ ...workOf(slice, reading), ...measuredOf(slice.args), kind: textIn(slice.args.get('kind')) });
};

const graph: TakeSlice = (slice, reading) => {
  const [graphId, execId] = [numberIn(slice.args.get('graphId')), numberIn(slice.args.get('execId'))];
  reading.trace.graph({ ...workOf(slice, reading), graphId, execId });
};

const collective: TakeSlice = (slice, reading) => {
  const { args, name } = slice;
  const [kind, dtype, group] = [textIn(args.get('kind')), textIn(args.get('dtype')), textIn(args.get('group'))];
  const [bytes, groupSize] = [numberIn(args.get('bytes')), numberIn(args.get('groupSize'))];
  const [algorithm, link] = [textIn(args.get('algorithm')), textIn(args.get('link'))];
  const ranks = listIn(args.get('ranks'), ',')?.map(Number) ?? null;
  const operation = { name: name ?? '', kind, dtype, group, bytes, groupSize, algorithm, link, ranks };
  reading.trace.collective({ ...workOf(slice, reading), operation });
};

/** The call that launched work. */
const launch: TakeSlice = ({ name, start, end, place, args }, { trace }) => {
  trace.call({ start, end, pid: place.pid, tid: place.tid, name, corr: numberIn(args.get('corr')) });
};

const range: TakeSlice = ({ name, start, end, place, args }, { trace }) => {
  trace.range({ start, end, pid: place.pid, tid: place.tid, text: name, domain: textIn(args.get('domain')) });
};

const devicesIn = (text: string | null): Device[] =>
  objectsIn(text).filter(
    ({ id, vendor }) => Number.isSafeInteger(id) && typeof vendor === 'string',
  ) as unknown as Device[];

/** The line of a profile is a mark at its start. */
const profile: TakeSlice = ({ args, start, place }, reading) => {
  const { trace, facts } = reading;
  trace.seen(start);
  reading.stateDevices(place, devicesIn(textIn(args.get('devices'))));
  if (facts.facts !== undefined) {
    // In a profile of several ranks, the devices state their ranks.
    facts.rank = null;
    return;
  }
  const read: Labels = fieldsOf(args, 'facts', isLabel) ?? {};
  const [worldSize, host] = [numberIn(args.get('worldSize')), textIn(args.get('host'))];
  facts.tool = textIn(args.get('tool'));
  facts.rank = numberIn(args.get('rank'));
  const groups = objectsIn(textIn(args.get('groups'))) as unknown as ProcessGroup[];
  facts.job = {
    ...(worldSize === null ? undefined : { worldSize }),
    ...(host === null ? undefined : { host }),
    ...(groups.length === 0 ? undefined : { groups }),
  };
  facts.facts = { ...read, source_format: textIn(args.get('format')) ?? 'na' };
};

/** `NAME=VALUE` after the metric; several are separated by spaces. Strings may be in quotes, numbers never are. */
const LABEL = / ([\w.]+)=("(?:[^"\\]|\\.)*"|[^ ="]*)/g;
const LABELS = new RegExp(`^(.*?)((?:${LABEL.source})*)$`, 's');

/** Metric and labels of a series. */
export function seriesOf(name: string): { readonly metric: string; readonly labels?: Labels } {
  const [, metric = name, labels = ''] = LABELS.exec(name) ?? [];
  if (labels === '') return { metric };
  const pairs = Array.from(labels.matchAll(LABEL), ([, key = '', value = '']) => [key, labelIn(value)] as const);
  return { metric, labels: Object.fromEntries(pairs) };
}

function labelIn(text: string): string | number {
  if (String(Number(text)) === text) return Number(text);
  if (!text.startsWith('"')) return text;
  try {
    return String(JSON.parse(text));
  } catch {
    return text;
  }
}

/** `device 0 METRIC (UNIT)`, a value of the whole profile. */
const TIMELESS = /^(?:device (\d+) )?(.*?)(?: \(([^()]*)\))?$/s;

/** Values of the whole profile, or a string. */
const sample: TakeSlice = ({ name, args, start, place }, reading) => {
  const { trace } = reading;
  if (place.name === 'whole profile')
    for (const [key, value] of args) {
      const [, device, series = key, unit = null] = TIMELESS.exec(key) ?? [];
      const known = typeof value === 'string' ? { value: null, text: value } : { value: numberIn(value) };
      trace.sample({ ...seriesOf(series), ...known, unit, device: numberIn(device) });
    }
  else
    for (const text of [...args.values()].filter((value) => typeof value === 'string')) {
      const series = (name ?? '').slice(0, -`: ${text}`.length);
      trace.sample({ ...seriesOf(series), start, value: null, text, unit: null, device: reading.deviceOf(place) });
    }
};

const notice: TakeSlice = ({ name, args }, { trace }) =>
  trace.state({ type: 'notice', category: textIn(args.get('category')), text: name ?? '' });

const layer: TakeSlice = ({ name, args, start, end, place }, reading) => {
  if (start === null) return;
  const dur = end === null ? null : end - start;
  const counters = fieldsOf(args, 'counters', isNumber) ?? {};
  reading.trace.state({ type: 'layer', start, dur, device: reading.deviceOf(place), name: name ?? '', counters });
};

const tensor: TakeSlice = ({ name, args }, { trace }) => {
  const [role, dtype] = [textIn(args.get('role')) as TensorRole | null, textIn(args.get('dtype'))];
  const [shape, bytes] = [numbersIn(args.get('shape')), numberIn(args.get('bytes'))];
  trace.state({ type: 'tensor', name: name ?? '', role, dtype, shape, bytes });
};

/** Placeholder for an unknown process; it has no calls. */
const NO_PROCESS = -1;

/** Work belongs to the process of the call that its arrow comes from; without an arrow, to the process that it states. */
function workOf({ start, end, place, args, endsFlows: [flow] }: Slice, reading: SliceReading) {
  const [startPs, durPs] = numbersIn(args.get('ps')) ?? [];
  return {
    ...(startPs === undefined || durPs === undefined ? undefined : { ps: [startPs, durPs] as const }),
    ...{
      start,
      end,
      device: reading.deviceOf(place),
      stream: numberIn(args.get('stream')) ?? place.stream,
      corr: numberIn(args.get('corr')),
    },
    pid: flow === undefined ? (numberIn(args.get('pid')) ?? NO_PROCESS) : reading.processOf(flow),
    ...(flow === undefined ? { tid: numberIn(args.get('tid')) } : undefined),
  };
}

export const DPROF_SLICES: Readonly<Record<string, TakeSlice>> = {
  ...{ kernel, copy, set, sync, graph, collective, launch, range, profile, sample, notice, layer, tensor },
};
