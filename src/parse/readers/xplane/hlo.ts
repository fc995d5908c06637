/**
 * The programs in an XSpace: HLO instructions by program and name, with their operands' shapes, which say what an
 * instruction has to compute, and their source lines. A program is read when one of its instructions is first asked for.
 * Source: hlo.proto and xla_data.proto of OpenXLA.
 */
import { append } from '../../../containers/element.js';
import { LruCache } from '../../../containers/map-entry.js';
import type { Arg, ArgValue, OpCall } from '../../../record/record.js';
import { FileFields, signed, WireFields, type WireNumber } from '../../input/protobuf-fields.js';
import { WireError } from '../../input/protobuf.js';
import type { BlockFile } from '../../input/byte-window.js';
import { idOf, type EventKind } from './xspace.js';

/** What is known about an instruction. */
export interface Instruction {
  readonly call: OpCall;
  readonly opcode: string;
  /** Path of the framework's op, `jit(step)/layer/dot_general`; '' when there is none. */
  readonly path: string;
  /** Whether the path is that of the most expensive instruction in a fusion, and not of the last, which the profiler states. */
  readonly isOfPart: boolean;
  /** The kind of product or reduction that the instruction is, or that takes most of the work of a fusion; else null. */
  readonly computes: string | null;
  /** Call stack of `file:line`, outermost first. */
  readonly trace: readonly string[];
}

/** Names of element types by their numbers in xla_data.proto; a type without elements has none. */
const TYPES: Readonly<Record<number, string>> = Object.fromEntries(
  Object.entries({
    1: 'bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64',
    15: 'complex64 bfloat16',
    18: 'complex128 float8_e5m2 float8_e4m3fn int4 uint4 float8_e4m3b11fnuz float8_e5m2fnuz float8_e4m3fnuz',
    28: 'float8_e4m3 float8_e3m4',
    32: 'float4_e2m1fn float8_e8m0fnu',
  }).flatMap(([first, names]) => names.split(' ').map((name, i) => [Number(first) + i, name])),
);

interface Shape {
  readonly dtype: string | null;
  readonly dims: readonly number[];
  readonly parts: readonly Shape[];
}

interface Node {
  readonly name: string;
  readonly opcode: string;
  readonly shape: Shape;
  readonly id: WireNumber;
  readonly operands: readonly WireNumber[];
  readonly called: readonly WireNumber[];
  readonly path: string;
  readonly source: string;
  readonly frame: number;
  readonly target: string;
  readonly config: string;
  readonly contracting: readonly number[];
  /** Dimensions of a convolution's kernel: its input features, and those in space. */
  readonly filter: { readonly features: number; readonly spatial: readonly number[] } | null;
  /** Extents of a window. */
  readonly window: readonly number[];
}

interface Computation {
  readonly nodes: readonly Node[];
  readonly byId: ReadonlyMap<WireNumber, Node>;
}

interface Program {
  readonly computations: ReadonlyMap<WireNumber, Computation>;
  readonly places: ReadonlyMap<string, { readonly node: Node; readonly computation: Computation }>;
  readonly stackOf: (frame: number) => string[];
}

const LONGEST = 1 << 24;
const DEEPEST = 8;
/** Programs kept in memory. */
const KEPT = 8;
const NO_SHAPE: Shape = { dtype: null, dims: [], parts: [] };

export class Programs {
  readonly #places = new Map<string, NonNullable<EventKind['program']>>();
  readonly #programs = new LruCache<string, Program | null>(KEPT);
  readonly #instructions = new Map<string, Instruction | null>();
  damaged = 0;

  constructor(private readonly file: BlockFile) {}

  /** Notes where the programs of a metadata plane are. */
  add(kinds: Iterable<EventKind>): void {
    for (const { name, program, stats } of kinds) {
      const id = /\((\d+)\)$/.exec(name)?.[1] ?? idOf(stats.get('program_id'));
      if (program !== null && id !== null) this.#places.set(id, program);
    }
  }

  get count(): number {
    return this.#places.size;
  }

  /** An instruction; null when the file does not have it. @param program unsigned decimal number */
  instruction(program: string, name: string): Instruction | null {
    const key = `${program} ${name}`;
    let found = this.#instructions.get(key);
    if (found === undefined) this.#instructions.set(key, (found = this.#find(program, name)));
    return found;
  }

  #find(program: string, name: string): Instruction | null {
    const place = this.#places.get(program);
    if (place === undefined) return null;
    const read = this.#programs.of(program, () => this.#read(place));
    const found = read?.places.get(name);
    return read === null || found === undefined ? null : describe(read, found.computation, found.node);
  }

  #read({ from, to }: NonNullable<EventKind['program']>): Program | null {
    try {
      return readProgram(new FileFields(this.file, from, to));
    } catch (error) {
      if (!(error instanceof WireError)) throw error;
      this.damaged++;
      return null;
    }
  }
}

function readProgram(proto: FileFields): Program {
  const computations = new Map<WireNumber, Computation>();
  const places = new Map<string, { node: Node; computation: Computation }>();
  let stackOf: Program['stackOf'] = () => [];
  while (proto.next()) {
    if (proto.field !== 1 || !proto.isMessage) continue;
    const module = proto.inside();
    while (module.next()) {
      if (module.field === 17) stackOf = stackFrames(new WireFields(Buffer.from(module.bytes(LONGEST))));
      if (module.field !== 3 || !module.isMessage) continue;
      const [id, computation] = readComputation(module.inside());
      computations.set(id, computation);
      for (const node of computation.nodes) places.set(node.name, { node, computation });
    }
  }
  return { computations, places, stackOf };
}

function readComputation(fields: FileFields): readonly [id: WireNumber, computation: Computation] {
  let id: WireNumber = 0;
  const nodes: Node[] = [];
  while (fields.next()) {
    if (fields.field === 5) id = fields.value;
    else if (fields.field === 2 && fields.isMessage) nodes.push(readNode(new WireFields(fields.bytes(LONGEST))));
  }
  return [id, { nodes, byId: new Map(nodes.map((node) => [node.id, node])) }];
}

/** Unsigned numbers of a repeated field, exact. */
function ids(fields: WireFields): WireNumber[] {
  if (!fields.isMessage) return [fields.value];
  const [inside, found] = [fields.inside(), [] as WireNumber[]];
  while (inside.position < fields.to) found.push(inside.varint());
  return found;
}

function readNode(fields: WireFields): Node {
  const texts = { name: '', opcode: '', target: '', config: '' };
  let [shape, id, path, source, frame] = [NO_SHAPE, 0 as WireNumber, '', '', 0];
  const [operands, called, contracting, window]: [WireNumber[], WireNumber[], number[], number[]] = [[], [], [], []];
  let filter: Node['filter'] = null;
  while (fields.next()) {
    if (fields.field === 1) texts.name = fields.text();
    else if (fields.field === 2) texts.opcode = fields.text();
    else if (fields.field === 3) shape = readShape(fields.inside(), 0);
    else if (fields.field === 7) ({ path, source, frame } = readMetadata(fields.inside()));
    else if (fields.field === 28) texts.target = fields.text();
    else if (fields.field === 43) texts.config = fields.text();
    else if (fields.field === 35) id = fields.value;
    else if (fields.field === 36) append(operands, ids(fields));
    else if (fields.field === 38) append(called, ids(fields));
    else if (fields.field === 30) append(contracting, numbersIn(fields.inside(), 1));
    else if (fields.field === 15) append(window, windowSizes(fields.inside()));
    else if (fields.field === 16) filter = readFilter(fields.inside());
  }
  return { ...texts, shape, id, operands, called, path, source, frame, contracting, filter, window };
}

function numbersIn(fields: WireFields, field: number): number[] {
  const found: number[] = [];
  while (fields.next()) if (fields.field === field) append(found, [...fields.numbers()]);
  return found;
}

function windowSizes(fields: WireFields): number[] {
  const sizes: number[] = [];
  while (fields.next()) if (fields.field === 1 && fields.isMessage) sizes.push(numbersIn(fields.inside(), 1)[0] ?? 0);
  return sizes;
}

function readFilter(fields: WireFields): NonNullable<Node['filter']> {
  let features = 0;
  const spatial: number[] = [];
  while (fields.next()) {
    if (fields.field === 3) features = signed(fields.value);
    else if (fields.field === 6) append(spatial, [...fields.numbers()]);
  }
  return { features, spatial };
}

function readMetadata(fields: WireFields): { path: string; source: string; frame: number } {
  let [path, file, line, frame] = ['', '', 0, 0];
  while (fields.next()) {
    if (fields.field === 2) path = fields.text();
    else if (fields.field === 3) file = fields.text();
    else if (fields.field === 4) line = signed(fields.value);
    else if (fields.field === 15) frame = signed(fields.value);
  }
  return { path, source: file === '' ? '' : `${file}:${line}`, frame };
}

function readShape(fields: WireFields, depth: number): Shape {
  if (depth > DEEPEST) throw new WireError('shapes are nested too deeply');
  let dtype: string | null = null;
  const [dims, parts]: [number[], Shape[]] = [[], []];
  while (fields.next()) {
    if (fields.field === 2) dtype = TYPES[signed(fields.value)] ?? null;
    else if (fields.field === 3) append(dims, [...fields.numbers()]);
    else if (fields.field === 4 && fields.isMessage) parts.push(readShape(fields.inside(), depth + 1));
  }
  return { dtype, dims, parts };
}

/** Stacks of `file:line` by the number of their innermost frame. Numbers count from 1; 0 is none. */
function stackFrames(fields: WireFields): Program['stackOf'] {
  const files: string[] = [];
  const [places, frames]: [(readonly [number, number])[], (readonly [number, number])[]] = [[], []];
  const pair = (inside: WireFields, b: number): readonly [number, number] => {
    let [first, second] = [0, 0];
    while (inside.next()) {
      if (inside.field === 1) first = signed(inside.value);
      else if (inside.field === b) second = signed(inside.value);
    }
    return [first, second];
  };
  while (fields.next()) {
    if (fields.field === 1) files.push(fields.text());
    else if (fields.field === 3 && fields.isMessage) places.push(pair(fields.inside(), 3));
    else if (fields.field === 4 && fields.isMessage) frames.push(pair(fields.inside(), 2));
  }
  return (frame) => {
    const stack: string[] = [];
    for (let at = frame; at > 0 && stack.length < 256;) {
      const [place, parent] = frames[at - 1] ?? [0, 0];
      const [file, line] = places[place - 1] ?? [0, 0];
      const name = files[file - 1];
      if (name !== undefined) stack.push(`${name}:${line}`);
      if (parent >= at && stack.length > frames.length) break;
      at = parent;
    }
    return stack.reverse();
  };
}

const tensorArg = (name: string, shape: Shape): Arg =>
  shape.parts.length > 0
    ? { name, type: 'tuple', items: shape.parts.map((part) => tensorArg('', part)) }
    : { name, type: 'tensor', shape: shape.dims, dtype: shape.dtype ?? 'na' };

const valueArg = (name: string, type: string, value: ArgValue): Arg => ({ name, type, value });

/** The first array of a shape: the result of a library call, before its workspace. */
const firstOf = (shape: Shape): Shape => (shape.parts[0] === undefined ? shape : firstOf(shape.parts[0]));

const product = (extents: readonly number[]): number => extents.reduce((a, b) => a * b, 1);

function describe(program: Program, computation: Computation, node: Node): Instruction {
  const operands = operandsOf(computation, node);
  const args = operands.map(({ shape }) => tensorArg('', shape));
  args.push(tensorArg('out', node.target.startsWith('__cu') ? firstOf(node.shape) : node.shape));
  const summed = summedExtents(computation, node);
  if (summed !== null) args.push(valueArg('summed', 'list', summed));
  if (node.window.length > 0 && node.opcode === 'reduce-window') args.push(valueArg('window', 'list', node.window));
  if (node.target !== '') args.push(valueArg('target', 'str', node.target));
  if (node.called.length > 0 && BODIES.has(node.opcode)) {
    const body = bodyOf(program, node);
    if (body !== null) args.push(valueArg('body', 'list', body));
    if (readsInPart(program, node)) args.push(valueArg('in_part', 'bool', true));
  }
  const part = node.opcode === 'fusion' ? costliestPart(program, node) : null;
  const { path, frame, source } = part === null || part.path === '' ? node : part;
  const stack = program.stackOf(frame);
  return {
    call: { mod: 'hlo', op: node.opcode, args },
    opcode: node.opcode,
    ...{ path, isOfPart: part !== null && part.path !== '', computes: computedBy(part ?? node, summed !== null) },
    trace: stack.length > 0 || source === '' ? stack : [source],
  };
}

/** @param isProduct whether a library call multiplies */
function computedBy({ opcode }: Node, isProduct: boolean): string | null {
  if (opcode === 'custom-call') return isProduct ? 'dot' : null;
  return opcode === 'dot' || opcode === 'convolution' || opcode.startsWith('reduce') ? opcode : null;
}

/**
 * The product or reduction in a fusion that computes the most, if that is more than one operation for each element of the
 * fusion's result: others compute at most one. Null when there is none.
 */
function costliestPart(program: Program, fusion: Node): Node | null {
  let [costliest, most]: [Node | null, number] = [null, product(firstOf(fusion.shape).dims)];
  for (const id of fusion.called) {
    const computation = program.computations.get(id);
    for (const inner of computation?.nodes ?? []) {
      if (computation === undefined) continue;
      const result = product(firstOf(inner.shape).dims);
      const summed = summedExtents(computation, inner);
      const isReduction = inner.opcode.startsWith('reduce');
      const cost =
        summed !== null ? 2 * result * product(summed) : isReduction ? elementsOf(computation, inner, result) : 0;
      if (cost > most) [costliest, most] = [inner, cost];
    }
  }
  return costliest;
}

const operandsOf = ({ byId }: Computation, node: Node): Node[] =>
  node.operands.map((id) => byId.get(id)).filter((found) => found !== undefined);

/** Extents over which a product sums; null for any other instruction, and where they are undetermined. */
function summedExtents(computation: Computation, node: Node): number[] | null {
  const [left, right] = operandsOf(computation, node);
  if (node.opcode === 'dot') return extentsAt(left, node.contracting);
  if (node.opcode === 'convolution' || /^__cudnn\$conv(?:Bias|Forward)/.test(node.target))
    return node.filter === null ? null : extentsAt(right, [...node.filter.spatial, node.filter.features]);
  if (!/^__cublas\$/.test(node.target)) return null;
  const dims = contractingIn(node.config);
  return dims === null ? null : extentsAt(left, dims);
}

function extentsAt(node: Node | undefined, dims: readonly number[]): number[] | null {
  const extents = dims.map((dim) => node?.shape.dims[dim]);
  return extents.every((extent) => extent !== undefined) ? extents : null;
}

/** The dimensions of the left factor that a library call sums over; its numbers are strings. */
function contractingIn(config: string): number[] | null {
  const list = /"lhs_contracting_dimensions"\s*:\s*\[([^\]]*)\]/.exec(config)?.[1];
  if (list === undefined) return null;
  const dims = [...list.matchAll(/\d+/g)].map(([digits]) => Number(digits));
  return dims.length === 0 ? null : dims;
}

/** Instructions whose work is that of the computation that they call. */
const BODIES: ReadonlySet<string> = new Set(['fusion', 'call', 'async-start', 'custom-call']);

/**
 * What a computation does: by opcode the elements that it computes; for products the elements, the number of terms that
 * each of them sums, and the type of the factors. Null where it depends on data (a loop, a branch).
 */
function bodyOf(program: Program, node: Node, depth = 0): ArgValue[] | null {
  const plain = new Map<string, number>();
  const products: ArgValue[] = [];
  for (const id of node.called) {
    const computation = program.computations.get(id);
    if (computation === undefined || depth > DEEPEST) return null;
    for (const inner of computation.nodes) {
      if (inner.opcode === 'while' || inner.opcode === 'conditional') return null;
      const result = product(firstOf(inner.shape).dims);
      if (inner.called.length > 0 && BODIES.has(inner.opcode)) {
        const body = bodyOf(program, inner, depth + 1);
        if (body === null) return null;
        append(products, body);
        continue;
      }
      if (inner.opcode === 'custom-call') return null;
      const summed = summedExtents(computation, inner);
      const isProduct = inner.opcode === 'dot' || inner.opcode === 'convolution';
      if (isProduct && summed === null) return null;
      const factor = operandsOf(computation, inner)[0]?.shape.dtype ?? 'na';
      if (summed !== null) products.push([inner.opcode, result, product(summed), factor]);
      else plain.set(inner.opcode, (plain.get(inner.opcode) ?? 0) + elementsOf(computation, inner, result));
    }
  }
  return [...products, ...plain];
}

/** Elements that an instruction works on: of its operand for a reduction, else of its result. */
function elementsOf(computation: Computation, node: Node, result: number): number {
  if (node.opcode === 'reduce-window') return result * product(node.window);
  if (node.opcode !== 'reduce') return result;
  const [operand] = operandsOf(computation, node);
  return operand === undefined ? result : product(firstOf(operand.shape).dims);
}

const PARTIAL: ReadonlySet<string> = new Set(['dynamic-slice', 'slice', 'gather', 'dynamic-update-slice', 'scatter']);

/** Whether a fusion reads or writes only a part of an operand. */
const readsInPart = (program: Program, node: Node): boolean =>
  node.called.some((id) => {
    const computation = program.computations.get(id);
    return computation?.nodes.some(
      (inner) => PARTIAL.has(inner.opcode) && operandsOf(computation, inner)[0]?.opcode === 'parameter',
    );
  });
