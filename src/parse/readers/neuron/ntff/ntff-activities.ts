/** Reads the sections of a device trace into rows. */
import type { Diagnostics } from '../../../../record/diagnostics.js';
import { NEURON_ENGINES } from '../../../../record/engines.js';
import type { Clock } from './timestamp-clock.js';
import { engineProgram, Instructions, type EngineProgram } from './instructions.js';
import { COLLECTIVE_CORES, SECTION, type Section } from './metadata.js';
import { Packets } from './packets.js';
import type { RowChunks } from './row-chunks.js';
import { Semaphores, Throttling } from './ntff-samples.js';
import { INSTRUCTION_BYTES, type RecordBlock, type TraceFile } from './ntff-file.js';

/** Instructions whose opcodes are held, of all programs together: 64 MB. */
const MOST_OPCODES = 1 << 26;

/** Reader of the records of one section. */
interface SectionReader {
  read(block: RecordBlock): void;
  finish?(): void;
}

export class Activities {
  readonly #throttling = new Map<number, Throttling>();
  /** Latest end of an instruction by core, ps. */
  readonly #lastEnds = new Map<number, number>();
  #opcodesHeld = 0;

  /** @param cores numbers of the cores; their indices are the devices of rows */
  constructor(
    private readonly trace: TraceFile,
    private readonly cores: readonly number[],
    private readonly clock: Clock,
    private readonly rows: RowChunks,
    private readonly diagnostics: Diagnostics,
  ) {}

  read(sections: readonly Section[]): void {
    for (const section of sections) {
      const device = this.cores.indexOf(section.core);
      const reader = device === -1 ? null : this.#readerOf(section, device);
      if (reader === null) {
        this.diagnostics.count('unread-section');
        continue;
      }
      for (const block of this.trace.records(section)) reader.read(block);
      reader.finish?.();
      if (reader instanceof Instructions && reader.lastEnd > 0) this.#lastEnds.set(section.core, reader.lastEnd);
    }
    for (const [core, throttling] of this.#throttling) throttling.end(this.#lastEnds.get(core) ?? this.clock.length);
  }

  #readerOf({ kind, group, core }: Section, device: number): SectionReader | null {
    if (group === COLLECTIVE_CORES) return null;
    const { clock, rows, diagnostics } = this;
    switch (kind) {
      case SECTION.instructions:
        return new Instructions(device, this.#programsOf(core), clock, rows, diagnostics);
      case SECTION.semaphores:
        return new Semaphores(device, clock, rows, diagnostics);
      case SECTION.dma:
        return new Packets(device, clock, rows, diagnostics);
      case SECTION.throttle: {
        const throttling = this.#throttling.get(core) ?? new Throttling(device, clock, rows, diagnostics);
        this.#throttling.set(core, throttling);
        return throttling;
      }
      default:
        return null;
    }
  }

  /** Programs of a core's engines, by engine. */
  #programsOf(core: number): EngineProgram[][] {
    const programs: EngineProgram[][] = NEURON_ENGINES.map(() => []);
    const graphs = this.trace.metadata.graphs.filter((graph) => graph.core === core);
    for (const buffer of graphs.flatMap(({ buffers }) => buffers)) {
      this.#opcodesHeld += Math.ceil(buffer.size / INSTRUCTION_BYTES);
      const opcodes = this.#opcodesHeld > MOST_OPCODES ? new Uint8Array(0) : this.trace.opcodes(buffer);
      programs[buffer.engine]?.push(engineProgram(buffer, opcodes));
    }
    return programs;
  }
}
