/** Reads tensors from the JSON members of a NEFF. */
import type { TensorRole, TensorRecord } from '../../../../record/record.js';
import { entriesOf, fieldOf, listOf, shapeOf, sizeOf, textOf } from '../../../json/json-value.js';

/** A variable of a subgraph that is an input, an output or a weight of the program. */
export interface NeffVariable {
  readonly name: string;
  readonly role: TensorRole | null;
  readonly bytes: number | null;
  /** Name of the file with its contents, by which the tensor map refers to constants. */
  readonly file: string | null;
}

export interface TensorType {
  readonly dtype: string | null;
  readonly shape: readonly number[] | null;
}

export interface MappedTensor extends TensorType {
  readonly name: string;
  readonly role: TensorRole | null;
  readonly file: string | null;
}

/** Roles by a variable's `type`; variables of all other types are internal to the program: scratch memory, tables. */
const ROLES: ReadonlyMap<unknown, TensorRole> = new Map([
  ['input', 'input'],
  ['output', 'output'],
  ['file', 'weight'],
]);

/** The variables of a subgraph's `def.json`. */
export function readDefinition(json: unknown): NeffVariable[] {
  return entriesOf(fieldOf(json, 'var')).flatMap(([name, variable]): NeffVariable[] => {
    const role = ROLES.get(fieldOf(variable, 'type'));
    if (role === undefined) return [];
    return [{ name, role, bytes: sizeOf(fieldOf(variable, 'size')), file: textOf(fieldOf(variable, 'file_name')) }];
  });
}

export interface Variable {
  readonly name: string;
  /**
   * The memory that holds the variable, as the vendor's tool names it for packets; null for a kind without such a name.
   */
  readonly memory: string | null;
}

/** Numbers by which instructions refer to variables. */
export interface VariableNumbers {
  readonly variables: ReadonlyMap<number, Variable>;
  /**
   * Numbers of inputs and outputs, in the order of the table to which instructions refer; empty unless there is exactly one
   * table.
   */
  readonly table: readonly number[];
}

/** Memory by a variable's `type`. */
const MEMORIES: ReadonlyMap<unknown, string> = new Map([
  ['state-buffer', 'SB'],
  ['file', 'WEIGHT'],
  ['virtual', 'VIRTUAL'],
]);
const TABLE = 'dge-table';

/** Numbers of the variables in a subgraph's `def.json`. */
export function readVariableNumbers(json: unknown): VariableNumbers {
  const all = entriesOf(fieldOf(json, 'var'));
  const tables = all.filter(([, variable]) => fieldOf(variable, 'type') === TABLE);
  const variables = all.flatMap(([name, variable]): [number, Variable][] => {
    const number = fieldOf(variable, 'var_id');
    const memory = MEMORIES.get(fieldOf(variable, 'type')) ?? null;
    return typeof number === 'number' ? [[number, { name, memory }]] : [];
  });
  const table = tables.length === 1 ? listOf(fieldOf(tables[0]?.[1], 'list')) : [];
  return { variables: new Map(variables), table: table.map((number) => (typeof number === 'number' ? number : -1)) };
}

/** Engines whose semaphores come after those of the runtime, in this order, by the vendor tool's names. */
const COUNTING_ENGINES = ['GpSimd', 'Scalar', 'Tensor', 'Vector'] as const;

/**
 * Which engine or queue updates each semaphore, from a subgraph's `def.json`; queues have the runtime's names. In five
 * captures this gives the tool's names of all semaphores.
 */
export function readSemaphores(json: unknown): ReadonlyMap<number, string> {
  const owners = new Map<number, string>();
  const first = fieldOf(json, 'runtime_semaphore_count');
  if (typeof first === 'number') COUNTING_ENGINES.forEach((engine, at) => owners.set(first + at, engine));
  for (const [queue, description] of entriesOf(fieldOf(json, 'dma_queue')))
    for (const number of listOf(fieldOf(description, 'semaphore_set')))
      if (typeof number === 'number') owners.set(number, queue);
  return owners;
}

/** Names of the members with a subgraph's instructions and their debug information. */
export const instructionMembers = (json: unknown): string[] =>
  entriesOf(json).flatMap(([key, value]) =>
    INSTRUCTION_MEMBER.test(key) ? [value, ...listOf(value)].filter((name) => typeof name === 'string') : [],
  );

const INSTRUCTION_MEMBER = /_(?:dbg|instr)$/;

/** Reads a subgraph's `tensor_map.json`. It also lists scratch memory, which gets no role. */
export function readTensorMap(json: unknown): MappedTensor[] {
  return entriesOf(json).map(([name, tensor]) => ({
    name,
    role: ROLES.get(fieldOf(tensor, 'kind')) ?? (fieldOf(tensor, 'is_const') === true ? 'weight' : null),
    dtype: textOf(fieldOf(tensor, 'dtype')),
    shape: shapeOf(fieldOf(tensor, 'sim_shape')) ?? shapeOf(fieldOf(tensor, 'tf_shape')),
    file: textOf(fieldOf(tensor, 'tf_file')),
  }));
}

/**
 * Tensors of `neff.json`, a graph in TVM's JSON form, whose `attrs` have the shapes and types of the outputs of all nodes
 * in one list. It replaces tensor maps, which optimised programs do not have.
 */
export function readNodes(json: unknown): Map<string, TensorType> {
  const attributes = fieldOf(json, 'attrs');
  const shapes = listOf(listOf(fieldOf(attributes, 'shape'))[1]);
  const types = listOf(listOf(fieldOf(attributes, 'dltype'))[1]);
  const names = listOf(fieldOf(json, 'nodes')).flatMap((node) => listOf(fieldOf(node, 'output_names')));
  return new Map(
    names.flatMap((name, i): [string, TensorType][] =>
      typeof name === 'string' ? [[name, { dtype: textOf(types[i]), shape: shapeOf(shapes[i]) }]] : [],
    ),
  );
}

export type NeffTensor = Omit<TensorRecord, 'type' | 'profile'>;

const ROLE_ORDER: readonly (TensorRole | null)[] = ['input', 'output', 'weight', null];

/** Types and shapes of tensors, by name and by file. */
class TypeIndex {
  readonly #byName = new Map<string, TensorType>();
  readonly #byFile = new Map<string, TensorType>();

  constructor(maps: readonly MappedTensor[], nodes: ReadonlyMap<string, TensorType>) {
    for (const tensor of maps) {
      this.#byName.set(tensor.name, tensor);
      if (tensor.file !== null) this.#byFile.set(tensor.file, tensor);
    }
    for (const [name, node] of nodes) if (!this.#byName.has(name)) this.#byName.set(name, node);
  }

  /** Looks up the file first, because a constant's name in the map differs from that in the definition. */
  of({ name, file }: NeffVariable): TensorType | undefined {
    return (file === null ? undefined : this.#byFile.get(file)) ?? this.#byName.get(name);
  }
}

/**
 * The tensors of all subgraphs without duplicates: inputs, outputs, weights, each in the order of the definitions. If there
 * is no definition, the tensors of the maps are used, whose sizes are unknown.
 */
export function joinTensors(
  variables: readonly NeffVariable[],
  maps: readonly MappedTensor[],
  nodes: ReadonlyMap<string, TensorType>,
): NeffTensor[] {
  const index = new TypeIndex(maps, nodes);
  const isTensor = ({ role }: MappedTensor): boolean => role !== null;
  const listed = variables.length > 0 ? variables : maps.filter(isTensor).map((tensor) => ({ ...tensor, bytes: null }));
  const tensors = new Map<string, NeffTensor>();
  for (const variable of listed) {
    const { name, role, bytes } = variable;
    const key = JSON.stringify([role, name]);
    const type = index.of(variable);
    if (!tensors.has(key)) {
      tensors.set(key, { name, role, dtype: type?.dtype ?? null, shape: type?.shape ?? null, bytes });
    }
  }
  return [...tensors.values()].sort((a, b) => ROLE_ORDER.indexOf(a.role) - ROLE_ORDER.indexOf(b.role));
}
