/** The hosts on a page of neuron-monitor's reports, from any file or stream, on one time axis. Does not need a document. */
import { elementAt } from '../../../containers/element.js';
import type { PageOutline } from '../../../prof/html/page-elements.js';
import type { CurveGroup, MonitorHost } from '../../../prof/html/neuron/neuron-data.js';

export interface NamedHost {
  /** A unique name. */
  readonly name: string;
  readonly host: MonitorHost;
  /** Index of its profile on the page. */
  readonly profile: number;
  /** Unix time of the start of its profile, in ns as decimal text; null when the reports have no times. */
  readonly start: string | null;
}

export function hostsOf({ profiles }: Pick<PageOutline, 'profiles'>): NamedHost[] {
  const found = profiles.flatMap(({ monitor, overview: { header } }, profile) =>
    (monitor?.hosts ?? []).map((host) => ({
      ...{ host, profile, start: header?.startUnixNs ?? null },
      names: [host.name ?? header?.file ?? 'unknown', header?.file ?? '', `profile ${profile}`],
    })),
  );
  return found.map(({ names, ...rest }) => {
    // As many names as are needed to distinguish the host from the others.
    const parts = [1, 2, 3].map((count) => names.slice(0, count).join(', '));
    const isAlone = (part: string, i: number): boolean =>
      found.filter((other) => other.names.slice(0, i + 1).join(', ') === part).length === 1;
    return { ...rest, name: parts.find(isAlone) ?? elementAt(parts, 2) };
  });
}

/** Maximum lines of a chart; more cannot be distinguished. */
const MOST_LINES = 24;

export interface HostComparison {
  readonly charts: readonly CurveGroup[];
  /** The zero point of times. */
  readonly axis: string;
  /** Span of all charts, in ns. */
  readonly span: readonly [from: number, to: number];
}

/** Offsets in ns from the earliest start; all 0 when one is unknown. */
function shiftsOf(hosts: readonly NamedHost[]): { readonly shifts: readonly number[]; readonly isByClock: boolean } {
  const starts = hosts.flatMap(({ start }) => (start === null ? [] : [BigInt(start)]));
  if (starts.length < hosts.length) return { shifts: hosts.map(() => 0), isByClock: false };
  const first = starts.reduce((least, start) => (start < least ? start : least));
  return { shifts: starts.map((start) => Number(start - first)), isByClock: true };
}

/** A chart for each figure, with a line for each host that has it. */
export function hostComparison(hosts: readonly NamedHost[]): HostComparison {
  const { shifts, isByClock } = shiftsOf(hosts);
  const titles = [...new Set(hosts.flatMap(({ host }) => host.lines.map(({ title }) => title)))];
  const charts = titles.map((title): CurveGroup => {
    const lines = hosts.flatMap(({ name, host }, i) => {
      const line = host.lines.find((candidate) => candidate.title === title);
      const shift = elementAt(shifts, i);
      return (line?.curves ?? []).map(({ points }) => ({
        ...{ name, unit: line?.unit ?? 'count' },
        points: points.map(([at, value]) => [at + shift, value] as const),
      }));
    });
    const curves = lines.slice(0, MOST_LINES).map(({ name, points }) => ({ name, points }));
    return { title, unit: lines[0]?.unit ?? 'count', curves, leftOut: lines.length - curves.length };
  });
  const times = charts.flatMap(({ curves }) => curves.flatMap(({ points }) => points.map(([at]) => at)));
  const [from, to] = [times.reduce((a, b) => Math.min(a, b), Infinity), times.reduce((a, b) => Math.max(a, b), 0)];
  const isOneStream = new Set(hosts.map(({ profile }) => profile)).size === 1;
  const axis = isOneStream
    ? "time from the profile's start"
    : isByClock
      ? 'time from the first report of any host'
      : "time from each host's first report: not all have a time of day";
  return { charts, axis, span: [Math.min(from, to), Math.max(to, from === Infinity ? 1 : from + 1)] };
}
