/** Layers of CANN, the driver library, in order of preference for a task's launch: see `HostCalls.precedence`. */
interface ApiLayer {
  readonly name: string;
  /** In ENUM_API_TYPE. */
  readonly type: number;
  /** How releases since 2025 name it. */
  readonly newName?: string;
}

const LAYERS: readonly ApiLayer[] = [
  { name: 'node', type: 10000 },
  { name: 'hccl', type: 5500, newName: 'communication' },
  { name: 'acl', type: 20000 },
  { name: 'runtime', type: 5000 },
  { name: 'model', type: 15000 },
];

/** Number of a layer; that after the last for an unknown one. */
const codeOf = (is: (layer: ApiLayer) => boolean): number => {
  const code = LAYERS.findIndex(is);
  return code === -1 ? LAYERS.length : code;
};

const BY_TYPE = new Map(LAYERS.map(({ type }, code) => [type, code]));

/** By the type of a row of CANN_API. */
export const apiLayerCodeOf = (type: number): number => BY_TYPE.get(type) ?? LAYERS.length;

/** By the `level` of an event. */
export function apiLayerCode(level: string): number {
  const name = level.toLowerCase();
  return codeOf((layer) => layer.name === name || layer.newName === name);
}

/** Number of the layer of communication. */
export const COMMUNICATION_LAYER = apiLayerCode('hccl');

/** Name of a layer by its number; null for an unknown one. */
export const apiLayer = (code: number): string | null => LAYERS[code]?.name ?? null;
