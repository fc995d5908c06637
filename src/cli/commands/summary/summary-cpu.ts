/** What threads did on the cores of the host, as a section of a summary. */
import type { CpuSummary, CpuTally } from '../../../prof/summary/summary-data.js';
import { TimeUnit, UNKNOWN } from '../../../record/units.js';
import { grouped, many } from '../../../record/plural.js';
import { plain, share, type Section } from './summary-section.js';

/** Cores, and processes, that are listed. */
const LISTED = 4;

export function cpuSections({ traced, time, cores, processes }: CpuSummary): Section[] {
  const unit = new TimeUnit(traced ?? 0);
  const row = (what: string, { id, time: ns, switches, samples }: CpuTally): string[] => [
    `${what} ${id}`,
    ns === null ? UNKNOWN : unit.text(ns),
    ns === null || traced === null ? UNKNOWN : share(ns, traced),
    switches === null ? UNKNOWN : grouped(switches),
    samples === null ? UNKNOWN : grouped(samples),
    '',
  ];
  const spent =
    time === null || traced === null ? '' : `: threads ran for ${unit.text(time)} in all, in ${unit.text(traced)}`;
  return [
    {
      ...plain(`CPU, ${many(cores.length, 'core')}, ${many(processes.length, 'process')}${spent}`, null),
      head: ['', 'time', 'share', 'scheduled', 'samples', ''],
      isHeaded: true,
      right: [1, 2, 3, 4],
      rows: [
        ...cores.slice(0, LISTED).map((core) => row('core', core)),
        ...processes.slice(0, LISTED).map((process) => row('process', process)),
      ],
    },
  ];
}
