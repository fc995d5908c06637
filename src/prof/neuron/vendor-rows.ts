/** Instructions as rows of the vendor tool's JSON, for scripts that read its table `instruction`. */
import { jsonOf } from '../../record/control-characters.js';
import type { KernelLine, ProfileLine } from '../../record/record.js';

type Cell = number | string | undefined;

/** Counters by the tool's names. */
const COUNTERS: readonly (readonly [key: string, counter: string])[] = [
  ['pc', 'pc'],
  ['evt_wait_time', 'waitNs'],
  ['elements', 'elements'],
  ['hbm_read_bytes', 'hbmReadBytes'],
  ['hbm_write_bytes', 'hbmWriteBytes'],
  ['sbuf_read_bytes', 'sbufReadBytes'],
  ['sbuf_write_bytes', 'sbufWriteBytes'],
  ['psum_read_bytes', 'psumReadBytes'],
  ['psum_write_bytes', 'psumWriteBytes'],
  ['psum_read_sbuf_write_bytes', 'psumReadSbufWriteBytes'],
  ['compiler_pc', 'compilerPc'],
];

const LABELS: readonly (readonly [key: string, label: string])[] = [
  ['instruction_type', 'type'],
  ['activation_fn', 'activation'],
  ['bir_id', 'birId'],
  ['bir_instruction_name', 'birName'],
  ['penguin_id', 'penguinId'],
  ['compiler_opcode', 'compilerOpcode'],
  ['compiler_operands', 'compilerOperands'],
];

const DEPENDENCY_TYPES: Readonly<Record<string, string>> = {
  flow: 'FLOW_DEPENDENCE',
  anti: 'ANTI_DEPENDENCE',
  output: 'OUTPUT_DEPENDENCE',
  ordered: 'ORDERED',
};

/** What the tool writes for a checksum that was not computed. */
const NO_CRC = 0xffff;

/** Rows of all profiles, in the order of their records. What a record lacks is no cell of its row. */
export class VendorRows {
  /** Names of subgraphs by profile and core. */
  readonly #subgraphs = new Map<string, string>();

  /** The row of an instruction as JSON; null for any other record. */
  row(record: ProfileLine): string | null {
    if (record.type === 'sample') this.#note(record.profile, record.device, record.labels?.['subgraph']);
    if (record.type !== 'kernel' || record.engine === undefined) return null;
    return rowOf(record, record.engine, this.#subgraphs.get(`${record.profile} ${record.device}`));
  }

  #note(profile: number, device: number | null, subgraph: unknown): void {
    if (device !== null && typeof subgraph === 'string') this.#subgraphs.set(`${profile} ${device}`, subgraph);
  }
}

function rowOf(record: KernelLine, engine: string, subgraph: string | undefined): string {
  const { start, dur, name, device, counters = {}, labels = {}, op = [], layer = [], trace = [] } = record;
  const cells: Record<string, Cell> = {
    timestamp: start,
    ...(dur === null ? {} : { duration: dur }),
    opcode: name,
    subgroup: engine,
    label: labels['label'] ?? (name === 'MATMUL' ? 'TensorMatrix' : engine),
    subgraph,
    fully_qualified_subgraph: subgraph === undefined ? undefined : `/${subgraph}`,
    nc_idx: device,
    operands: record.operands,
    hlo_name: op[0],
    layer: layer.length === 0 ? undefined : layer.join('/'),
    nki_source_location: trace[0],
    crc_in: counters['crcIn'] ?? NO_CRC,
    crc_out: counters['crcOut'] ?? NO_CRC,
  };
  for (const [key, counter] of COUNTERS) cells[key] = counters[counter];
  for (const [key, label] of LABELS) cells[key] = labels[label];
  const { id } = labels;
  const members = Object.entries(cells).flatMap(([key, cell]) =>
    cell === undefined ? [] : [member(key, jsonOf(cell))],
  );
  if (id !== undefined) members.push(member('id', idOf(id)));
  const after = (record.after ?? []).map(
    (each) => `{${member('id', idOf(each.id))},${member('type', jsonOf(DEPENDENCY_TYPES[each.kind] ?? each.kind))}}`,
  );
  if (after.length > 0) members.push(member('predecessors', `[${after.join(',')}]`));
  return `{${members.join(',')}}`;
}

const member = (key: string, json: string): string => `${jsonOf(key)}:${json}`;

/** Ids exceed 2^53: their digits are written as they are. */
const idOf = (id: number | string): string => (/^(?:0|[1-9]\d{0,19})$/.test(String(id)) ? String(id) : jsonOf(id));
