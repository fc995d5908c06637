/**
 * Redacts traces of PyTorch in their own format, as a stream: events are read and written one by one, whatever the size of the
 * file. Keys and values are copied only by a rule; others are left out and counted.
 */
import { UserError } from '../record/errors.js';
import { ByteWindow } from '../parse/input/byte-window.js';
import { endOfValue, CLOSE_BRACE, CLOSE_BRACKET, COMMA, OPEN_BRACE, OPEN_BRACKET } from '../parse/json/json-bytes.js';
import { END, JsonCursor } from '../parse/json/json-cursor.js';
import { categoryOf } from '../parse/readers/kineto/categories.js';
import { JsonMembers, nodeText, parseNode, Word, type JsonNode } from './json-node.js';
import type { TextKind, TextRules } from './texts.js';

/** Returns the value to write; undefined to leave it out. */
type Rule = (value: JsonNode, rules: TextRules) => JsonNode | undefined;

const NUMERIC = /^-?\d{1,19}(?:\.\d{1,12})?$/;

/** A number, also as text. */
const number: Rule = (value) =>
  value instanceof Word || (typeof value === 'string' && NUMERIC.test(value)) ? value : undefined;
/** Lists of numbers, at any depth. */
const numbers: Rule = (value) => {
  if (!Array.isArray(value)) return number(value, undefined as never);
  return (value as readonly JsonNode[]).every((item) => numbers(item, undefined as never) !== undefined)
    ? value
    : undefined;
};
/** A list of numbers in a text: `[0, 1, ...]`. */
const numbersText: Rule = (value) =>
  typeof value === 'string' && /^\[[\d, .]{0,100000}\]$/.test(value) ? value : numbers(value, undefined as never);

const text =
  (kind: TextKind): Rule =>
  (value, rules) =>
    typeof value === 'string' ? rules.redact(kind, value) : value instanceof Word ? value : undefined;

const list =
  (rule: Rule): Rule =>
  (value, rules) =>
    Array.isArray(value)
      ? (value as readonly JsonNode[]).flatMap((item) => rule(item, rules) ?? [])
      : rule(value, rules);

/** A text, or a list of texts in which all items keep their positions. */
const placed =
  (kind: TextKind): Rule =>
  (value, rules) => {
    if (!Array.isArray(value)) return text(kind)(value, rules);
    return (value as readonly JsonNode[]).map((item) => placed(kind)(item, rules) ?? '');
  };

const members =
  (fields: Readonly<Record<string, Rule>>, what: string): Rule =>
  (value, rules) =>
    value instanceof JsonMembers ? redactMembers(value, fields, rules, what) : undefined;

function redactMembers(
  { members: from }: JsonMembers,
  fields: Readonly<Record<string, Rule>>,
  rules: TextRules,
  what: string,
): JsonMembers {
  const into: (readonly [string, JsonNode])[] = [];
  for (const [key, value] of from) {
    const rule = Object.hasOwn(fields, key) ? fields[key] : undefined;
    const written = rule?.(value, rules);
    if (written === undefined) rules.drop(what);
    else into.push([key, written]);
  }
  return new JsonMembers(into);
}

const callStack: Rule = (value, rules) =>
  typeof value === 'string'
    ? value
        .split(';')
        .map((frame) => rules.redact('frame', frame.trim()))
        .join(';')
    : undefined;

const NUMBERS = [
  ...['External id', 'external id', 'correlation', 'device', 'context', 'stream', 'Sequence number', 'Fwd thread id'],
  ...['Python id', 'Python parent id', 'Python module id', 'registers per thread', 'shared memory', 'bytes', 'Bytes'],
  ...['graph id', 'graph node id', 'Total Allocated', 'Total Reserved', 'Addr', 'Device Id', 'Device Type', 'Ev Idx'],
  ...['rank', 'Rank', 'Seq', 'Group size', 'In msg nelems', 'Out msg nelems', 'Dst Rank', 'Src Rank', 'Op count'],
  ...['Global rank start', 'Global rank stride', 'Record function id', 'Profiler Event Index', 'Trace iteration'],
  ...['wait_on_stream', 'wait_on_cuda_event_record_corr_id', 'wait_on_cuda_event_id', 'blocks per SM', 'warps per SM'],
  ...[
    'est. achieved occupancy %',
    'memory bandwidth (GB/s)',
    'queued',
    'cbid',
    'num_warps',
    'num_stages',
    'sort_index',
  ],
  ...['external ts', 'finished', 'cid', 'Device', 'priority', 'channel', 'channel_type', 'flops'],
];

/** Rules of `args` by key. */
const ARGS: Readonly<Record<string, Rule>> = {
  ...Object.fromEntries(NUMBERS.map((key) => [key, number])),
  ...{ grid: numbers, block: numbers, 'Input Dims': numbers, 'Input Strides': numbers, 'Input type': placed('dtype') },
  ...{
    'Concrete Inputs': placed('value'),
    'Call stack': callStack,
    call_stack: list(text('range')),
    kernel: text('kernel'),
  },
  ...{ kernel_file: text('path'), kernel_hash: text('id'), kernel_backend: text('text'), kernel_name: text('kernel') },
  ...{
    'Collective name': text('category'),
    dtype: text('dtype'),
    'In split size': numbersText,
    'Out split size': numbersText,
  },
  ...{ 'Process Group Name': text('group'), 'Process Group Description': text('description') },
  ...{ 'Process Group Ranks': numbersText, cuda_sync_kind: text('activity'), 'Trace name': text('thread') },
  ...{ 'Module Hierarchy': text('layer'), labels: text('text') },
};
const ARGS_BY_LOWER = new Map(Object.entries(ARGS).map(([key, rule]) => [key.toLowerCase(), [key, rule] as const]));

/** Kind of an event's name by its category in lower case. */
const NAMES: Readonly<Record<string, TextKind>> = {
  ...{
    cpu_op: 'range',
    operator: 'range',
    user_annotation: 'range',
    gpu_user_annotation: 'range',
    python_function: 'frame',
  },
  ...{ overhead: 'activity', trace: 'range', cpu_instant_event: 'range' },
};

/** Names of events that profilers define. */
const FIXED: ReadonlySet<string> = new Set(
  ['[memory]', 'ac2g', 'async', 'async_gpu', 'async_cpu_to_gpu', 'fwdbwd', 'launch', 'process_name', 'process_labels', 'process_sort_index', 'thread_name', 'thread_sort_index', 'Record Window End', 'num_threads', 'num_errors'],
); // prettier-ignore
const ITERATION = /^Iteration Start: /;

function nameOf(category: string, phase: string, name: string, rules: TextRules): string {
  if (FIXED.has(name)) return name;
  if (ITERATION.test(name)) return `Iteration Start: ${rules.redact('thread', name.replace(ITERATION, ''))}`;
  if (phase === 'C') return rules.redact('metric', name);
  const known = categoryOf(category);
  if (known?.is === 'call') return rules.redact('api', name);
  if (known?.is === 'activity') return rules.redact(known.kind === 'kernel' ? 'kernel' : 'activity', name);
  if (known?.is === 'counters') return rules.redact('kernel', name);
  return rules.redact(NAMES[category.toLowerCase()] ?? 'range', name);
}

const textAt = ({ members: all }: JsonMembers, key: string): string => {
  const value = all.findLast(([name]) => name === key)?.[1];
  return typeof value === 'string' ? value : '';
};

const PHASE = /^[A-Za-z()]$/;

/** An event without free texts. */
function redactEvent(event: JsonMembers, rules: TextRules): JsonMembers {
  const [category, phase, name] = ['cat', 'ph', 'name'].map((key) => textAt(event, key)) as [string, string, string];
  return redactMembers(
    event,
    {
      ...{ ts: number, dur: number, tts: number, id: id, pid: place, tid: place },
      ph: (value) => (typeof value === 'string' && PHASE.test(value) ? value : undefined),
      bp: (value) => (value === 'e' ? value : undefined),
      s: (value) => (value === 'g' || value === 'p' || value === 't' ? value : undefined),
      cat: text('category'),
      name: (value, r) =>
        typeof value === 'string' ? nameOf(category, phase, value, r) : value instanceof Word ? value : undefined,
      args: (value, r) => (value instanceof JsonMembers ? redactArgs(value, category, phase, name, r) : undefined),
    },
    rules,
    'keys of events',
  );
}

const place: Rule = text('thread');
const id: Rule = (value) =>
  typeof value === 'string' && /^(?:0x[\da-f]{1,16}|\d{1,20})$/i.test(value)
    ? value
    : number(value, undefined as never);

/** Kinds of the names that metadata events give. */
const NAMINGS: Readonly<Record<string, TextKind>> = {
  process_name: 'process',
  thread_name: 'thread',
  process_labels: 'text',
};

function redactArgs(args: JsonMembers, category: string, phase: string, name: string, rules: TextRules): JsonMembers {
  if (phase === 'M')
    return redactMembers(args, { name: naming(name), labels: text('text'), sort_index: number }, rules, 'keys of args');
  const hasMetrics = phase === 'C' || categoryOf(category)?.is === 'counters';
  const into: (readonly [string, JsonNode])[] = [];
  for (const [key, value] of args.members) {
    const [, rule] = ARGS_BY_LOWER.get(key.toLowerCase()) ?? [];
    const written = rule?.(value, rules) ?? (hasMetrics && value instanceof Word ? value : undefined);
    if (written === undefined) rules.drop('keys of args');
    else into.push([rule === undefined ? rules.redact('metric', key) : key, written]);
  }
  return new JsonMembers(into);
}

/** Kind of the name that a metadata event gives. `python` and `python3` stay, because they say nothing about the program. */
const naming = (name: string): Rule => {
  const kind = NAMINGS[name] ?? 'thread';
  return (value, rules) => (value === 'python' || value === 'python3' ? value : text(kind)(value, rules));
};

const DEVICE = members(
  {
    ...Object.fromEntries(
      ['id', 'totalGlobalMem', 'computeMajor', 'computeMinor', 'maxThreadsPerBlock', 'maxThreadsPerMultiprocessor', 'maxThreadsPerMultiProcessor', 'regsPerBlock', 'regsPerMultiprocessor', 'warpSize', 'sharedMemPerBlock', 'sharedMemPerMultiprocessor', 'numSms', 'sharedMemPerBlockOptin', 'maxSharedMemoryPerMultiProcessor'].map((key) => [key, number]), // prettier-ignore
    ),
    name: text('device'),
  },
  'keys of the header',
);
const GROUP = members(
  {
    pg_name: text('group'),
    pg_desc: text('description'),
    backend_config: text('text'),
    pg_size: number,
    ranks: numbersText,
  },
  'keys of the header',
);
const HEADER: Readonly<Record<string, Rule>> = {
  ...Object.fromEntries(
    ['schemaVersion', 'record_shapes', 'profile_memory', 'with_stack', 'with_modules', 'with_flops', 'cupti_version', 'cuda_runtime_version', 'cuda_driver_version', 'hip_runtime_version', 'hip_driver_version', 'roctracer_version', 'baseTimeNanoseconds'].map((key) => [key, number]), // prettier-ignore
  ),
  displayTimeUnit: (value) => (value === 'ms' || value === 'ns' ? value : undefined),
  deviceProperties: list(DEVICE),
  distributedInfo: members(
    {
      ...{ backend: text('text'), rank: number, world_size: number, pg_count: number, nccl_version: text('version') },
      pg_config: list(GROUP),
    },
    'keys of the header',
  ),
};

/** Bytes of text that are written at once. */
const PIECE = 1024 * 1024;

/**
 * The redacted trace as pieces of text. A trace that is cut off stays cut off. Returns whether it is cut off.
 * @param name name of the trace in messages
 * @throws UserError when the file is not a trace
 */
export function* redactTrace(path: string, name: string, rules: TextRules): Generator<string, boolean> {
  const window = new ByteWindow(path);
  try {
    const copy = new TraceCopy(new JsonCursor(window), name, rules);
    yield* inPieces(copy.texts());
    return copy.isCut;
  } finally {
    window.close();
  }
}

function* inPieces(texts: Iterable<string>): Generator<string> {
  let [parts, size]: [string[], number] = [[], 0];
  for (const part of texts) {
    parts.push(part);
    size += part.length;
    if (size < PIECE) continue;
    yield parts.join('');
    [parts, size] = [[], 0];
  }
  yield parts.join('');
}

class TraceCopy {
  /** Whether the file ended before the trace did. */
  isCut = false;

  constructor(
    private readonly cursor: JsonCursor,
    private readonly name: string,
    private readonly rules: TextRules,
  ) {}

  *texts(): Generator<string> {
    const first = this.cursor.next();
    if (first === OPEN_BRACKET) yield* this.#events();
    else if (first === OPEN_BRACE) yield* this.#documents();
    else throw new UserError('is not a JSON trace', { where: this.name });
    if (!this.isCut) yield '\n';
  }

  /** A trace may consist of several documents, one after another: Proton writes such traces. */
  *#documents(): Generator<string> {
    for (let first = this.cursor.next(); first === OPEN_BRACE && !this.isCut; first = this.cursor.next()) {
      yield* this.#document();
      yield '\n';
    }
    if (!this.isCut && this.cursor.next() !== END) this.rules.drop('text after the trace');
  }

  *#document(): Generator<string> {
    const { cursor, rules } = this;
    cursor.pass(1);
    yield '{';
    let separator = '\n';
    for (;;) {
      const byte = cursor.next();
      if (byte === END) break;
      cursor.pass(byte === COMMA || byte === CLOSE_BRACE ? 1 : 0);
      if (byte === COMMA) continue;
      if (byte === CLOSE_BRACE) {
        yield '\n}';
        return;
      }
      const key = this.#key();
      if (key === null) break;
      if (key === 'traceEvents' && cursor.next() === OPEN_BRACKET) {
        yield `${separator}"traceEvents": `;
        yield* this.#events();
        if (this.isCut) return;
      } else {
        const rule = Object.hasOwn(HEADER, key) ? HEADER[key] : undefined;
        if (rule === undefined) {
          rules.drop('keys of the header');
          if (!cursor.passValue()) break;
          continue;
        }
        const value = this.#value();
        if (value === undefined) break;
        const written = value === null ? undefined : rule(value, rules);
        if (written === undefined) {
          rules.drop('keys of the header');
          continue;
        }
        yield `${separator}${JSON.stringify(key)}: ${nodeText(written)}`;
      }
      separator = ',\n';
    }
    this.isCut = true;
  }

  /** The key of a member, after which the cursor is at its value; null when there is none. */
  #key(): string | null {
    const key = this.#value();
    if (typeof key !== 'string' || this.cursor.next() !== 0x3a) return null;
    this.cursor.pass(1);
    return key;
  }

  /** The value at the cursor, which moves past it; null when it is not JSON, undefined when the file ends first. */
  #value(): JsonNode | null | undefined {
    this.cursor.next();
    const span = this.cursor.whole(endOfValue);
    if (span === null || span.to <= span.from) return undefined;
    const node = parseNode(span.bytes.toString('utf8', span.from, span.to));
    this.cursor.pass(span.to - span.from);
    return node;
  }

  *#events(): Generator<string> {
    const { cursor, rules } = this;
    cursor.pass(1);
    yield '[';
    let separator = '\n';
    for (;;) {
      const byte = cursor.next();
      if (byte === END) break;
      if (byte === CLOSE_BRACKET || byte === COMMA) {
        cursor.pass(1);
        if (byte === COMMA) continue;
        yield '\n]';
        return;
      }
      const event = this.#value();
      if (event === undefined && cursor.next() === END) break;
      if (event === undefined) cursor.pass(1);
      if (!(event instanceof JsonMembers)) {
        rules.drop('items that are not events');
        continue;
      }
      yield `${separator}${nodeText(redactEvent(event, rules))}`;
      separator = ',\n';
    }
    this.isCut = true;
  }
}
