/**
 * Turns records into the tables of the vendor tool's JSON, for scripts that read them. Rows are passed on immediately; only
 * sums of each core and layer, and the records about a profile as a whole, are held.
 */
import { PS_PER_NS } from '../../../containers/interval-union.js';
import { entryOf } from '../../../containers/map-entry.js';
import { jsonOf } from '../../../record/control-characters.js';
import { isNeuronInstruction } from '../../../record/neuron/neuron-cores.js';
import type { KernelLine, ProfileLine, ProfileRecord, SampleRecord } from '../../../record/record.js';
import { UNEVEN_QUEUE_METRIC } from '../../../record/sample-metrics.js';
import { isOfNeuronDevice } from '../machine.js';
import type { MetricSummary } from '../metric-summary.js';
import { CoreState, type BusySpan } from './core-state.js';
import { instructionRow, packetRow, SAMPLE_TABLES, type TablePlace } from './event-rows.js';
import {
  coreRow,
  headerRow,
  layerRow,
  memoryRow,
  metadataRow,
  metricTables,
  profileInfoRow,
  queueRow,
  summedLayerRow,
  tensorRow,
  warningRow,
} from './statement-rows.js';

/** All tables, in the order in which they are written. */
export const VENDOR_TABLES = [
  ...['instruction', 'dma', 'semaphore_update', 'ham', 'dma_throughput', 'pending_dma', 'instruction_usage'],
  ...['active_time', 'layer_summary', 'neff_node', 'nc_mem_usage', 'dma_queues_info', 'model_info', 'warnings'],
  ...['metadata', 'profile_info', 'neff_header', 'summary', 'summary_groups', 'summary_group_order', 'terminology'],
] as const;

/**
 * Receives a row, which is a JSON object.
 * @param profile number of its profile; null for a row that belongs to no profile
 */
export type OnRow = (table: string, row: string, profile: number | null) => void;

class ProfileState {
  readonly cores = new Map<number, CoreState>();
  hasLayerRows = false;
  /** Use of device memory: rows name the device, whose record comes later. */
  readonly memory: SampleRecord[] = [];
  readonly #indices: readonly number[];

  constructor(
    readonly profile: ProfileRecord | null,
    readonly onRow: (table: string, row: string) => void,
  ) {
    this.#indices = profile?.devices.map(({ id }) => id).sort((a, b) => a - b) ?? [];
  }

  core(device: number): CoreState {
    return entryOf(this.cores, device, () => {
      const core: CoreState = new CoreState((engine, { from, to }: BusySpan) => {
        const row = {
          ...{ engine: engine.toLowerCase(), pcore_idx: this.#indexOf(device), subgraph: core.subgraph },
          ...{ start_ts: Math.floor(from / PS_PER_NS), end_ts: Math.floor(to / PS_PER_NS) },
          duration_ns: Math.floor((to - from) / PS_PER_NS),
        };
        this.onRow('active_time', jsonOf(row));
      });
      return core;
    });
  }

  place(device: number | null): TablePlace {
    return { subgraph: device === null ? undefined : this.cores.get(device)?.subgraph };
  }

  fact(name: string): number | null {
    const value = this.profile?.facts?.[name];
    return typeof value === 'number' ? value : null;
  }

  #indexOf(device: number): number | undefined {
    const at = this.#indices.indexOf(device);
    return at === -1 ? undefined : at;
  }
}

/**
 * Whether the records may be of a Neuron device; this includes records without a profile line, and those of a program
 * alone.
 */
const mayBeNeuron = (profile: ProfileRecord | null): boolean =>
  profile === null || profile.devices.length === 0 || isOfNeuronDevice(profile);

export class VendorTables {
  readonly #profiles = new Map<number, ProfileState>();

  constructor(private readonly onRow: OnRow) {}

  take(record: ProfileLine): void {
    const stateOf = (header: ProfileRecord | null): ProfileState =>
      new ProfileState(header, (table, row) => this.onRow(table, row, record.profile));
    if (record.type === 'profile') this.#profiles.set(record.profile, stateOf(record));
    const state = entryOf(this.#profiles, record.profile, () => stateOf(null));
    if (mayBeNeuron(state.profile)) this.#take(record, state);
  }

  /** Writes the rows that depend on all records. */
  finish(summaries: readonly MetricSummary[]): void {
    const metrics = summaries.flatMap(({ rows }) => rows);
    for (const [table, row] of metricTables([...new Map(metrics.map((row) => [row.name, row])).values()]))
      this.onRow(table, row, null);
    for (const { profile } of summaries) this.#finish(this.#profiles.get(profile));
  }

  #finish(state: ProfileState | undefined): void {
    if (state === undefined) return;
    const { profile, cores, memory, onRow } = state;
    for (const record of memory)
      onRow('nc_mem_usage', memoryRow(record, cores.get(record.device ?? NaN)?.stated.get('nd_idx')));
    for (const [device, core] of [...cores].sort(([a], [b]) => a - b)) {
      core.finish();
      onRow('model_info', coreRow(device, core, state.fact('clockHz')));
      if (!state.hasLayerRows) this.#layers(core, state);
    }
    if (profile === null) return;
    const subgraphs = new Set([...cores.values()].flatMap(({ subgraph }) => subgraph ?? []));
    onRow('metadata', metadataRow(profile, { subgraphs: subgraphs.size }));
    onRow('profile_info', profileInfoRow(profile));
    const header = headerRow(profile);
    if (header !== null) onRow('neff_header', header);
  }

  /**
   * Writes all instructions of a core as one layer. If the program has no layers, its instructions are written as a
   * second one.
   */
  #layers(core: CoreState, { onRow }: ProfileState): void {
    const { subgraph, all, program, hasLayers } = core;
    if (subgraph === undefined || !Number.isFinite(all.to)) return;
    onRow('layer_summary', summedLayerRow(`/${subgraph}`, { subgraph }, all));
    if (!hasLayers && Number.isFinite(program.to))
      onRow('layer_summary', summedLayerRow(`/${subgraph}/Unknown`, { subgraph }, program));
  }

  #take(record: ProfileLine, state: ProfileState): void {
    switch (record.type) {
      case 'kernel':
        if (isNeuronInstruction(record)) this.#instruction(record, state);
        break;
      case 'copy': {
        const number = record.kind === 'DMA' ? state.core(record.device).packet(record) : null;
        if (number !== null) state.onRow('dma', packetRow(record, { ...state.place(record.device), number }));
        break;
      }
      case 'sample':
        this.#sample(record, state);
        break;
      case 'layer':
        state.hasLayerRows = true;
        state.onRow('layer_summary', layerRow(record, state.place(record.device)));
        break;
      case 'tensor':
        state.onRow('neff_node', tensorRow(record));
        break;
      case 'notice':
        if (record.category !== 'error') state.onRow('warnings', warningRow(record));
        break;
    }
  }

  #instruction(record: KernelLine, state: ProfileState): void {
    state.core(record.device).instruction(record);
    state.onRow('instruction', instructionRow(record, state.place(record.device)));
  }

  #sample(record: SampleRecord, state: ProfileState): void {
    const { device, metric, labels = {}, value } = record;
    if (device === null) return;
    const { from, subgraph } = labels;
    if (from === 'model_info' || from === 'trace') {
      const core = state.core(device);
      if (typeof subgraph === 'string') core.subgraph = subgraph;
      // Cores for collectives do not belong to this core.
      if (value !== null && metric !== 'cc_cores_instruction_count') core.stated.set(metric, value);
    } else if (metric === UNEVEN_QUEUE_METRIC) state.core(device).leaveOut(labels);
    else if (metric === 'dma_queue') state.onRow('dma_queues_info', queueRow(record, state.place(device)));
    else if (metric === 'memory') state.memory.push(record);
    else {
      const [table, row] = SAMPLE_TABLES.get(metric) ?? [];
      if (table !== undefined && row !== undefined) state.onRow(table, row(record, state.place(device)));
    }
  }
}
