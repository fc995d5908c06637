/** Reads the sections of a device trace into rows. */
import { elementAt } from '../../../../../containers/element.js';
import { addTo } from '../../../../../containers/map-entry.js';
import { InstructionRecords } from './instruction-records.js';
import type { LoadedPrograms } from '../program/loaded-programs.js';
import { COLLECTIVE_CORES, SECTION, type TraceSection } from '../file/metadata.js';
import { PacketRecords } from './packet-records.js';
import type { SectionOutput, SectionRows } from './section-rows.js';
import { SemaphoreRecords, ThrottleRecords } from './sample-records.js';
import type { NtffFile } from '../file/ntff-file.js';

export class SectionReader {
  readonly #throttling = new Map<number, ThrottleRecords>();
  /** Latest end of an instruction by core, ps. */
  readonly #lastEnds = new Map<number, number>();
  /** Events by core: records of semaphores and of anything else besides instructions, packets and throttling. */
  readonly events = new Map<number, number>();
  /** Queues of each core, by engine and queue of records, with a packet across a bound of the execution. */
  readonly uneven = new Map<number, ReadonlySet<number>>();
  /** Sections with data that are not read. */
  unread = 0;

  /**
   * @param cores numbers of the cores; their indices are the devices of rows
   * @param programs of each core
   */
  constructor(
    private readonly trace: NtffFile,
    private readonly cores: readonly number[],
    private readonly programs: readonly LoadedPrograms[],
    private readonly output: SectionOutput,
  ) {}

  read(sections: readonly TraceSection[]): void {
    for (const section of sections) {
      const device = this.cores.indexOf(section.core);
      const reader = device === -1 ? null : this.#readerOf(section, device);
      if (reader === null) {
        this.output.diagnostics.count('unread-section');
        this.unread++;
        continue;
      }
      for (const block of this.trace.records(section)) reader.read(block);
      reader.finish();
      if (reader instanceof PacketRecords) {
        this.uneven.set(section.core, new Set([...(this.uneven.get(section.core) ?? []), ...reader.uneven]));
      }
      if (reader instanceof SemaphoreRecords) addTo(this.events, section.core, reader.events);
      if (reader instanceof InstructionRecords && reader.lastEnd > 0) this.#lastEnds.set(section.core, reader.lastEnd);
    }
    for (const [core, throttling] of this.#throttling)
      throttling.end(this.#lastEnds.get(core) ?? this.output.clock.length);
  }

  #readerOf({ kind, group, core }: TraceSection, device: number): SectionRows | null {
    if (group === COLLECTIVE_CORES) return null;
    const { output } = this;
    switch (kind) {
      case SECTION.instructions:
        return new InstructionRecords(device, elementAt(this.programs, device).byEngine, output);
      case SECTION.semaphores:
        return new SemaphoreRecords(device, output);
      case SECTION.dma:
        return new PacketRecords(device, output);
      case SECTION.throttle: {
        const throttling = this.#throttling.get(core) ?? new ThrottleRecords(device, output);
        this.#throttling.set(core, throttling);
        return throttling;
      }
      default:
        return null;
    }
  }
}
