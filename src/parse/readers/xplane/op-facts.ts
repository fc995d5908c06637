/**
 * What the statistics of device work say about the framework's op: its scopes, primitive and direction from the op's path,
 * its HLO instruction, its call stack, and the collective operation that it belongs to.
 */
import { entryOf } from '../../../containers/map-entry.js';
import { elementType } from '../../../record/element-types.js';
import type { Collective } from '../../../record/fields/collective.js';
import type { Arg, Direction, OpCall } from '../../../record/record.js';
import type { ActivityDetails } from '../../trace/trace.js';
import type { Instruction, Programs } from './hlo.js';
import { idOf, textOf, type StatedEvent, type StatName } from './xspace.js';

interface OpPath {
  readonly layer: readonly string[];
  readonly op: string | null;
  readonly mod: string;
  readonly dir: Direction | null;
}

const NO_PATH: OpPath = { layer: [], op: null, mod: 'hlo', dir: null };
/** Functions of JAX around a part of a path: `jvp(attention)` is the scope `attention` under differentiation. */
const WRAPPED = /^(?:transpose|jvp|vmap|remat|checkpoint|rematted_computation|custom_jvp|custom_vjp)\((.*)\)$/;
/** Functions that are compiled as a whole: their names are not scopes. */
const COMPILED = /^(?:jit|pjit|pmap|xla_pmap|shard_map|closed_call|core_call)(?:\(.*\))?$/;

/** Splits a path at slashes outside of parentheses. */
function componentsOf(path: string): string[] {
  const parts: string[] = [];
  let [depth, from] = [0, 0];
  for (let i = 0; i < path.length; i++) {
    const character = path[i];
    if (character === '(') depth++;
    else if (character === ')') depth--;
    else if (character === '/' && depth <= 0) {
      parts.push(path.slice(from, i));
      from = i + 1;
    }
  }
  return [...parts, path.slice(from)];
}

/** The scope in a component of a path; '' for a component that is not a scope. */
function scopeOf(component: string): string {
  let scope = component;
  for (let inner = WRAPPED.exec(scope); inner !== null; inner = WRAPPED.exec(scope)) scope = inner[1] ?? '';
  return COMPILED.test(scope) ? '' : scope;
}

/** Reads a path of JAX, `jit(f)/jvp(layer)/dot_general`. A path of a single part names an argument, not an op. */
function readJaxPath(path: string): OpPath {
  const parts = componentsOf(path.replace(/:\w*$/, ''));
  if (parts.length < 2) return NO_PATH;
  const dir = /transpose\(jvp\(/.test(path) ? 'bprop' : /(?:^|\/|\()jvp\(/.test(path) ? 'fprop' : null;
  const op = scopeOf(parts.at(-1) ?? '');
  const layer = parts
    .slice(0, -1)
    .map(scopeOf)
    .filter((scope) => scope !== '');
  return { layer, op: op === '' ? null : op, mod: 'jax', dir };
}

/** Reads a name of TensorFlow, `replica_4/bert/layer_5/mul:Mul`: scopes and the node's name, then its op. */
function readTensorFlowName(text: string): OpPath {
  const [, path, op] = /^(.*):(\w+)$/s.exec(text) ?? [];
  if (path === undefined || op === undefined) return NO_PATH;
  const scopes = path.split('/').slice(0, -1);
  return { layer: scopes.filter((scope) => !/^replica_\d+$/.test(scope)), op, mod: 'tf', dir: null };
}

/** The innermost annotation: `PATH:OP#shape=(half[4,384];half[])#`, after those around it and `::`. */
function annotationOf(event: StatedEvent): string | null {
  const text = textOf(event.stat('level 0')) ?? textOf(event.stat('annotation'))?.split('::').at(-1) ?? null;
  return text === null ? null : (text.split('#')[0] ?? null);
}

function pathOf(event: StatedEvent, instruction: Instruction | null): OpPath {
  const annotation = annotationOf(event);
  if (annotation !== null) return readTensorFlowName(annotation);
  const stated = textOf(event.stat('tf_op'));
  const path = textOf(event.stat('name')) ?? (stated === null || stated.startsWith('XlaModule:') ? null : stated);
  const [named, traced] = [path ?? '', instruction?.path ?? ''];
  const read = readJaxPath(named.includes('/') && instruction?.isOfPart !== true ? named : traced);
  // TensorFlow's paths end in the type of the op.
  return !/\w\(/.test(named) && /:\w+$/.test(named) ? readTensorFlowName(named) : read;
}

/** Operands that TensorFlow states: `(half[4,384];int32[])`. */
const tensorFlowArgs = (text: string | null): Arg[] =>
  (text ?? '').split(';').flatMap((part) => {
    const [, name, extents] = /^\(?(\w+)\[([\d,]*)\]\)?$/.exec(part) ?? [];
    if (name === undefined || extents === undefined) return [];
    const shape = extents === '' ? [] : extents.split(',').map(Number);
    return [{ name: '', type: 'tensor', dtype: elementType(name)?.dtype ?? name, shape }];
  });

const COLLECTIVES: readonly (readonly [opcode: RegExp, op: string])[] = [
  [/^all-reduce(?:-start)?$/, 'all_reduce'],
  [/^all-gather(?:-start)?$/, 'all_gather'],
  [/^reduce-scatter$/, 'reduce_scatter'],
  [/^(?:ragged-)?all-to-all$/, 'all_to_all'],
  [/^collective-broadcast$/, 'broadcast'],
  [/^collective-permute(?:-start)?$/, 'send_recv'],
  [/^send$/, 'send'],
  [/^recv$/, 'recv'],
];

const bytesOf = (args: readonly Arg[]): number | null =>
  args
    .flatMap((arg) => arg.items ?? [arg])
    .reduce<number | null>((sum, { shape = [], dtype = '' }) => {
      const size = elementType(dtype)?.bytes;
      return sum === null || size === undefined ? null : shape.reduce((a, b) => a * b, 1) * size + sum;
    }, 0);

/** The collective operation of an instruction; null for any other. */
export function collectiveOf({ opcode, call: { args } }: Instruction): Collective | null {
  const op = COLLECTIVES.find(([pattern]) => pattern.test(opcode))?.[1];
  if (op === undefined) return null;
  const operands = args.filter(({ name }) => name === '');
  const [bytesIn, result] = [bytesOf(operands), args.filter(({ name }) => name === 'out')];
  const dtype = operands[0]?.dtype ?? null;
  // An operation that is started returns its operands as well as its result.
  const bytesOut = opcode.endsWith('-start') && op !== 'all_reduce' ? null : bytesOf(result);
  return { op, bytesIn, bytesOut, dtype, group: null, groupSize: null, ranks: null };
}

/** What is known about the op of device work; events of one op share the object. */
export class OpFacts {
  readonly #variants = new Map<string, ActivityDetails>();

  constructor(
    readonly details: ActivityDetails,
    readonly instruction: Instruction | null,
  ) {}

  /** The details with other fields, made once for each key. */
  with(key: string, make: (details: ActivityDetails) => ActivityDetails): ActivityDetails {
    return entryOf(this.#variants, key, () => make(this.details));
  }
}

/** Ops of JAX that compute nothing. */
const MOVES: ReadonlySet<string> = new Set(
  'broadcast_in_dim concatenate convert_element_type copy pad reshape rev slice squeeze transpose'.split(' '),
);

/** Statistics that name an op. */
const NAMES: readonly StatName[] = ['name', 'tf_op', 'level 0', 'annotation', 'shape', 'hlo_module'];

/** Facts about ops, each found once. */
export class OpTable {
  readonly #known = new Map<string, OpFacts>();
  /** Number of ops whose instruction the file's programs lack. */
  notFound = 0;

  constructor(private readonly programs: Pick<Programs, 'instruction' | 'count'>) {}

  /** @param name name of the instruction; null when the event states none */
  of(event: StatedEvent, name = textOf(event.stat('hlo_op'))): OpFacts {
    const program = idOf(event.stat('program_id')) ?? '';
    let full = `${program}\n${name ?? ''}`;
    for (const field of NAMES) full += `\n${textOf(event.stat(field)) ?? ''}`;
    let facts = this.#known.get(full);
    if (facts === undefined) this.#known.set(full, (facts = this.#find(event, program, name)));
    return facts;
  }

  #find(event: StatedEvent, program: string, name: string | null): OpFacts {
    const instruction = name === null ? null : this.programs.instruction(program, name);
    if (name !== null && instruction === null && this.programs.count > 0) this.notFound++;
    const path = pathOf(event, instruction);
    const call: OpCall | null =
      instruction?.call ??
      (path.mod === 'tf' && path.op !== null
        ? { mod: 'tf', op: path.op, args: tensorFlowArgs(textOf(event.stat('shape'))) }
        : null);
    // A product that took up the transposition after it is traced to that.
    const computes = path.mod === 'jax' && MOVES.has(path.op ?? '') ? (instruction?.computes ?? null) : null;
    const op = computes ?? path.op ?? instruction?.opcode ?? name;
    const collective = instruction === null ? null : collectiveOf(instruction);
    const module = textOf(event.stat('hlo_module'));
    const labels = { ...(module === null ? undefined : { module }), ...(name === null ? undefined : { hlo: name }) };
    const details: ActivityDetails = {
      ...(path.dir === null ? undefined : { dir: path.dir }),
      ...(path.layer.length === 0 ? undefined : { layer: path.layer }),
      ...(instruction === null || instruction.trace.length === 0 ? undefined : { trace: instruction.trace }),
      ...(call === null ? undefined : { calls: [call] }),
      ...(op === null ? undefined : { mod: [path.op === null || computes !== null ? 'hlo' : path.mod], op: [op] }),
      ...(collective === null ? undefined : { collective }),
      ...(Object.keys(labels).length === 0 ? undefined : { labels }),
    };
    return new OpFacts(details, instruction);
  }
}
