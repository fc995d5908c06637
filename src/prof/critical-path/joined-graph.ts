/**
 * The graphs of several profiles of a job as one: an operation between ranks ends some time after the last of them has
 * joined, whichever rank that is. The graph of a single profile is one of these, with one member.
 */
import { elementAt, largest, least } from '../../containers/element.js';
import { entryOf } from '../../containers/map-entry.js';
import { countUpTo } from '../../containers/row-order.js';
import { TimedGraph, type OrderedGraph } from '../../containers/timed-graph.js';
import { NS_PER_S } from '../../record/units.js';
import type { TimeWindow } from '../input/named-range.js';
import type { Missing, Pieces } from './bounds.js';
import { equalHostFactors, equalizeWork } from './equal-ranks.js';
import type { ConnectedProfiles, Participant } from './job-operations.js';
import type { EventGraph, Member } from './profile-events.js';
import type { Explained, LocalClocks, PathWindow } from './step-paths.js';
import type { WhatIf } from './what-if.js';

export class JoinedGraph {
  readonly #graph: TimedGraph;
  readonly #members: readonly Member[];
  /** The first moment at which all ranks of an operation have joined; the nodes after it are further ones. */
  readonly #firstJoin: number;
  /** Factors by which changes multiply the time of the operation after each of these moments. */
  readonly #joinFactors: number[] = [];

  /**
   * @param graphs by profile; they are given up, so that the memory of a job is needed only once
   * @param hasStretches whether paths are wanted on the clocks of their profiles
   */
  constructor(
    private readonly job: ConnectedProfiles,
    graphs: Map<number, EventGraph>,
    private readonly pieces: Pieces,
    private readonly hasStretches: boolean,
  ) {
    const take = (profile: number): EventGraph => {
      const events = graphs.get(profile);
      if (events === undefined) throw new RangeError(`no graph of profile ${profile}`);
      graphs.delete(profile);
      return events;
    };
    const [first = NaN, ...others] = job.profiles;
    if (others.length === 0) {
      const events = take(first);
      this.#graph = events.graph;
      this.#members = [{ profile: first, events, node: 0, edge: 0, times: null }];
    } else {
      this.#graph = new TimedGraph();
      this.#members = job.profiles.map((profile) => {
        const { graph, ...events } = take(profile);
        const place = this.#graph.append(graph, (time) => job.timeOf(profile, time));
        const times = hasStretches ? graph.times : null;
        return { profile, events: { ...events, graph: this.#graph }, ...place, times };
      });
    }
    this.#holdBegins();
    this.#firstJoin = this.#graph.nodes;
    const memberOf = new Map(this.#members.map((member) => [member.profile, member]));
    for (const operation of job.operations) this.#join(operation, memberOf);
  }

  /**
   * @param window the time to explain, instead of steps
   * @param whatIf changes to predict; null for none
   */
  explained(window: TimeWindow | undefined, whatIf: WhatIf | null): Explained {
    const { pieces } = this;
    const ordered = this.#graph.ordered();
    const steps = window === undefined ? this.#steps() : [];
    return {
      ...{ ordered, pieces },
      windows: steps.length > 0 ? steps : timeWindow(ordered, window ?? this.#timeOfWork),
      memberAt: (node) => this.#memberAt(node),
      missingAt: (node) => this.#missingAt(node),
      clocks: this.hasStretches ? this.#clocks() : null,
      changedLag: whatIf === null ? null : this.#changedLag(whatIf),
    };
  }

  /**
   * The time from the first launch until the CPU knew that the last device work had ended, in ns. Outside it, the CPU may run
   * for long without a device.
   */
  get #timeOfWork(): TimeWindow {
    const members = this.#members.filter(({ events }) => events.lastWork !== -Infinity);
    const from = least(members.map(({ profile, events }) => this.job.timeOf(profile, events.firstLaunch)));
    const to = largest(members.map(({ profile, events }) => this.job.timeOf(profile, events.lastWork)));
    return members.length === 0 ? { from: -Infinity, to: Infinity } : { from, to };
  }

  /** A rank whose first step began later than that of another did so for a reason before the profiles. */
  #holdBegins(): void {
    const graph = this.#graph;
    const begins = this.#members
      .flatMap(({ node, events }) => {
        const begin = events.steps[0]?.begin ?? null;
        return begin === null ? [] : [node + begin];
      })
      .sort((a, b) => graph.timeOf(a) - graph.timeOf(b));
    const [first, ...others] = begins;
    const piece = this.pieces.numberOf('unknown', 'begin');
    for (const begin of others)
      if (first !== undefined) graph.addEdge(first, begin, graph.timeOf(begin) - graph.timeOf(first), piece);
  }

  /** Adds the moment at which all have joined. From then on, the operation takes as long as it did. */
  #join(operation: readonly Participant[], memberOf: ReadonlyMap<number, Member>): void {
    const graph = this.#graph;
    const rows = operation.flatMap(({ profile, device, index, isHeld }) => {
      const member = memberOf.get(profile);
      const row = member?.events.operations.get(device)?.[index];
      if (member === undefined || row === undefined || Number.isNaN(row)) return [];
      const start = member.node + member.events.firstWork + 2 * row;
      const factor = member.events.changes?.factors[row] ?? 1;
      return [{ start, isHeld, factor, edge: member.edge + member.events.firstWorkEdge + row }];
    });
    const joined = rows.reduce((last, { start }) => Math.max(last, graph.timeOf(start)), -Infinity);
    // By clocks that differ, an operation may end on a rank before the last one joined.
    const held = rows.filter(({ start, isHeld }) => isHeld && graph.timeOf(start + 1) > joined);
    if (held.length === 0) return;
    const node = graph.addNode(joined);
    this.#joinFactors.push(rows.reduce((most, { factor }) => Math.max(most, factor), 0));
    for (const { start, edge } of rows) graph.addEdge(start, node, 0, graph.tagOf(edge));
    for (const { start, edge } of held) {
      graph.setLag(edge, 0);
      graph.addEdge(node, start + 1, graph.timeOf(start + 1) - joined, graph.tagOf(edge));
    }
  }

  #memberAt(node: number): number {
    return Math.max(0, countUpTo(this.#members.length, (at) => elementAt(this.#members, at).node, node) - 1);
  }

  #clocks(): LocalClocks {
    const graph = this.#graph;
    const second = NS_PER_S;
    const rates = this.job.profiles.map(
      (profile) => second / (this.job.timeOf(profile, second) - this.job.timeOf(profile, 0)),
    );
    return {
      timeOf: (node, member) => {
        if (node >= this.#firstJoin || this.#memberAt(node) !== member) return NaN;
        const { times, node: first } = elementAt(this.#members, member);
        return times === null ? graph.timeOf(node) : elementAt(times, node - first);
      },
      lengthOf: (time, member) => time * elementAt(rates, member),
    };
  }

  #missingAt(node: number): Missing {
    const member = elementAt(this.#members, this.#memberAt(node));
    return member.events.missing.get(node - member.node) ?? 'begin';
  }

  /** The time from the start of some work to whatever follows lasts as long as the work. */
  #changedLag(whatIf: WhatIf): (edge: number) => number {
    const graph = this.#graph;
    const factors = this.pieces.all.map(({ bound }) => whatIf.factorOfBound(bound));
    const replaced = new Map(
      this.#members.flatMap(({ edge: first, events }) =>
        [...(events.changes?.lags ?? [])].map(([edge, lag]) => [first + edge, lag] as const),
      ),
    );
    const lagOf = (edge: number): number =>
      replaced.get(edge) ??
      graph.lagOf(edge) * (factors[graph.tagOf(edge)] ?? 1) * this.#workFactor(graph.sourceOf(edge));
    if (whatIf.kinds === null) return lagOf;
    equalizeWork(graph, this.#members);
    const hostFactor = equalHostFactors(graph, this.#members, this.pieces);
    return (edge) => lagOf(edge) * hostFactor(this.#memberAt(graph.sourceOf(edge)), edge);
  }

  /** Factor by which changes multiply the time after a moment. */
  #workFactor(source: number): number {
    if (source >= this.#firstJoin) return this.#joinFactors[source - this.#firstJoin] ?? 1;
    const { events, node } = elementAt(this.#members, this.#memberAt(source));
    const place = source - node - events.firstWork;
    return place < 0 || place % 2 === 1 ? 1 : (events.changes?.factors[place / 2] ?? 1);
  }

  /**
   * The steps of all members. A step of a job begins where its first rank begins it, or at the end of the step before if
   * that is later, and ends where its last rank ends it.
   */
  #steps(): PathWindow[] {
    if (this.#members.length === 1) return [...elementAt(this.#members, 0).events.steps];
    const all = new Map<number | null, PathWindow>();
    for (const { profile, events, node } of this.#members)
      for (const { step, from, to, begin, end } of events.steps) {
        const [first, last] = [this.job.timeOf(profile, from), this.job.timeOf(profile, to)];
        const window = { step, from: first, to: last, begin: begin === null ? null : node + begin, end: node + end };
        const known = entryOf(all, step, () => window);
        const [begins, ends] = [first < known.from ? window : known, last > known.to ? window : known];
        all.set(step, { step, from: begins.from, begin: begins.begin, to: ends.to, end: ends.end });
      }
    const windows: PathWindow[] = [];
    for (const window of [...all.values()].sort((a, b) => a.to - b.to)) {
      const before = windows.at(-1);
      const follows = before !== undefined && before.to >= window.from;
      const whole = follows ? { ...window, from: before.to, begin: before.end } : window;
      if (whole.to > whole.from) windows.push(whole);
    }
    return windows;
  }
}

/** The part of a time up to its last event. */
function timeWindow(ordered: OrderedGraph, window: TimeWindow): PathWindow[] {
  const { graph } = ordered;
  const end = ordered.nodeAt(ordered.countUpTo(window.to) - 1);
  const first = ordered.nodeAt(0);
  if (end === undefined || first === undefined) return [];
  const from = Math.max(window.from, graph.timeOf(first));
  const to = graph.timeOf(end);
  return to > from ? [{ step: null, from, to, begin: null, end }] : [];
}
