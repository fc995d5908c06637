/** Tensors of a program: variables of its definitions, with types and shapes from its tensor maps. */
import type { TensorRecord, TensorRole } from '../../../../record/record.js';
import type { MappedTensor, TensorType, NeffVariable } from './definition.js';

export type NeffTensor = Omit<TensorRecord, 'type' | 'profile'>;

const ROLE_ORDER: readonly (TensorRole | null)[] = ['input', 'output', 'weight', null];

/** Types and shapes by name and by file. */
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

  /** By file first: a constant has another name in the map than in the definition. */
  of({ name, file }: NeffVariable): TensorType | undefined {
    return (file === null ? undefined : this.#byFile.get(file)) ?? this.#byName.get(name);
  }
}

/**
 * The tensors without duplicates between subgraphs: inputs, outputs, weights, each in the order of the definitions.
 * Without a definition the tensors of the maps are used, whose sizes are unknown.
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
