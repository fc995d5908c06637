/** The state of a timeline and values derived from it. The parts of the timeline observe it, and do not know each other. */
import { elementAt } from '../../../containers/element.js';
import { entryOf } from '../../../containers/map-entry.js';
import { coloursOf, usualColour, type ColourKey, type EventColours } from '../events/event-colours.js';
import type { LongestTexts } from '../../../prof/html/timeline/longest-texts.js';
import {
  endOf,
  kindOf,
  laneOf,
  startOf,
  type TimelineEvents,
  countOf,
  dependenciesOf,
  launchedBy,
} from '../events/events.js';
import { differences } from './labels.js';
import { groupsOfThreads } from '../events/coverage.js';
import { layoutOf, MARK_ROW, type LaneBand, type TimelineLayout } from './layout.js';
import { matchWeightsOf, weightsOf, type MatchWeights, type RowWeights } from './levels.js';
import type { TimelineMarker } from './timeline-markers.js';
import { nearestEvent, rowsOf, type LaneRow } from './lane-rows.js';
import { search, type SearchMatches } from './search.js';
import { keysOf, type TimelineSelection } from './selection.js';
import { NO_EXTRAS, type TimelineExtras } from '../tracks/load-tracks.js';
import { centred, fitted, showing, within, type SelectedSpan, type View } from './view.js';
import { quantityText } from '../../document/units.js';
import { sameSequence } from '../events/kernel-facts.js';

export interface SceneState {
  readonly view: View;
  readonly colour: ColourKey;
  readonly search: string;
  readonly closed: ReadonlySet<string>;
  /** Lanes with many rows that are not folded. */
  readonly opened: ReadonlySet<string>;
  /** Height in CSS pixels of the lanes that stay visible while the others scroll. */
  readonly pinned: number;
  /** The selected event. */
  readonly event: number | null;
  /** The event under the pointer, and the time there (`pointer`). */
  readonly hovered: number | null;
  readonly pointer: number | null;
  /** The selection. */
  readonly span: TimelineSelection | null;
  /** Whether dragging selects. */
  readonly spanning: boolean;
  readonly markers: readonly TimelineMarker[];
}

export type SceneChanges = ReadonlySet<keyof SceneState>;

/** The names that events have. */
function usedNames({ text: { name }, texts }: TimelineEvents): readonly string[] {
  const isUsed = new Uint8Array(texts.length);
  for (let event = 0; event < name.length; event++) isUsed[elementAt(name, event)] = 1;
  return texts.filter((_, number) => isUsed[number] === 1);
}

// Selects the arrows that a timeline draws: those to and from the selected event.

/** Maximum number of arrows. More would hide the events that they point to. */
export const MOST_ARROWS = 20;

type Arrow = readonly [from: number, to: number];

interface ShownArrows {
  readonly arrows: readonly Arrow[];
  /** The number of arrows that are not drawn, as a sentence; '' when all are drawn. */
  readonly remark: string;
}

/** Arrows from the launch of an event, and from the event to those that it launched. */
function launchArrows(events: TimelineEvents, event: number): Arrow[] {
  const launcher = elementAt(events.arrows.launcher, event);
  const launched = launchedBy(events, event).map((to): Arrow => [event, to]);
  return launcher === -1 ? launched : [[launcher, event], ...launched];
}

const FORWARD = 1;
const BACKWARD = 2;

/** Arrows from each forward kernel to each backward kernel with the event's sequence number. */
function passArrows(events: TimelineEvents, event: number): Arrow[] {
  const dir = elementAt(events.dir, event);
  if ((dir !== FORWARD && dir !== BACKWARD) || countOf(events, event) > 1) return [];
  const others = sameSequence(events, event).filter(
    (other) => elementAt(events.dir, other) === FORWARD + BACKWARD - dir,
  );
  return others.map((other): Arrow => (dir === FORWARD ? [event, other] : [other, event]));
}

/** Arrows from the events for which an event waited, and from it to those that waited for it. */
function dependencyArrows(events: TimelineEvents, event: number): Arrow[] {
  const { before, after } = dependenciesOf(events, event);
  return [
    ...before.flatMap(({ event: from }): Arrow[] => (from === null ? [] : [[from, event]])),
    ...after.flatMap(({ event: to }): Arrow[] => (to === null ? [] : [[event, to]])),
  ];
}

/** @param event the selected one; null for none */
export function shownArrows(events: TimelineEvents, event: number | null): ShownArrows {
  if (event === null) return { arrows: [], remark: '' };
  const all = [launchArrows, passArrows, dependencyArrows].flatMap((arrows) => arrows(events, event));
  const remark = `The selected event has ${quantityText(all.length, 'count')} arrows, ${MOST_ARROWS} of them are drawn.`;
  return { arrows: all.slice(0, MOST_ARROWS), remark: all.length > MOST_ARROWS ? remark : '' };
}

export class Scene {
  readonly rows: readonly (readonly LaneRow[])[];
  /** The default colour key. */
  readonly usual: ColourKey;
  /** Groups that are initially collapsed. */
  readonly usuallyClosed: ReadonlySet<string>;
  shown: SceneState;
  colours: EventColours;
  layout: TimelineLayout;
  /** Matches of the search; null without a search. */
  matches: SearchMatches | null = null;
  readonly #weights = new Map<LaneRow, RowWeights>();
  #matchWeights = new Map<LaneRow, MatchWeights>();
  #arrowsOf: number | null = null;
  #arrows: ShownArrows = { arrows: [], remark: '' };
  /** For each name of an event, the position where it differs from all others. */
  readonly differs: ReadonlyMap<string, number>;
  #bands = new Map<LaneRow, LaneBand>();
  readonly #watchers: ((changed: SceneChanges) => void)[] = [];

  constructor(
    readonly events: TimelineEvents,
    readonly extras: TimelineExtras = NO_EXTRAS,
    /** Strings with strong colours; null to use the strings of the events. */
    private readonly longest: LongestTexts | null = null,
    /** The span that the page is about, in ns from the timeline's start; null for all. */
    readonly chosen: SelectedSpan | null = null,
  ) {
    this.rows = rowsOf(events);
    this.differs = differences(usedNames(events));
    this.usual = usualColour(events);
    this.usuallyClosed = groupsOfThreads(events, events.lanes);
    this.shown = {
      view: fitted(events.span),
      colour: this.usual,
      search: '',
      closed: this.usuallyClosed,
      opened: new Set(),
      pinned: 0,
      event: null,
      hovered: null,
      pointer: null,
      span: null,
      spanning: false,
      markers: [],
    };
    this.colours = coloursOf(events, this.usual, longest);
    this.layout = this.#lay();
  }

  /** The time, on all lanes of its rank, of the inter-rank operation under the pointer, else of the selected one. */
  get operation(): TimelineSelection | null {
    const { events, shown } = this;
    const event = shown.hovered ?? shown.event;
    if (event === null || kindOf(events, event) !== 'communication') return null;
    const profile = laneOf(events, event)?.ids?.profile;
    const ofRank = events.lanes.flatMap((lane, at) =>
      lane.kind === 'device' && lane.ids?.profile === profile ? [at] : [],
    );
    const lanes = keysOf(events.lanes, new Set(ofRank));
    return { from: startOf(events, event), to: endOf(events, event), lanes };
  }

  watch(watcher: (changed: SceneChanges) => void): void {
    this.#watchers.push(watcher);
  }

  /** Calls back after a change of any of these properties. */
  on(keys: readonly (keyof SceneState)[], act: () => void): void {
    this.watch((changed) => {
      if (keys.some((key) => changed.has(key))) act();
    });
  }

  set(change: Partial<SceneState>): void {
    const before = this.shown;
    this.shown = { ...before, ...change };
    const keys = Object.keys(change) as (keyof SceneState)[];
    const changed = new Set(keys.filter((key) => this.shown[key] !== before[key]));
    if (changed.size === 0) return;
    if (changed.has('colour')) this.colours = coloursOf(this.events, this.shown.colour, this.longest);
    if (changed.has('closed') || changed.has('opened')) this.layout = this.#lay();
    if (changed.has('search')) {
      this.matches = search(this.events, this.shown.search);
      this.#matchWeights = new Map();
    }
    for (const watcher of this.#watchers) watcher(changed);
  }

  /** Arrows of the selected event. */
  get arrows(): ShownArrows {
    const { event } = this.shown;
    // Cached, because each frame needs them.
    if (event !== this.#arrowsOf) {
      this.#arrowsOf = event;
      this.#arrows = shownArrows(this.events, event);
    }
    return this.#arrows;
  }

  look(view: View): void {
    this.set({ view: within(view, this.events.span) });
  }

  /** Selects an event, and moves the view so that it is visible. */
  select(event: number): void {
    const view = showing(this.shown.view, startOf(this.events, event), endOf(this.events, event), this.events.span);
    this.set({ event, view });
  }

  /** Selects an event, and moves the view so that the event is in the middle and wide enough to be seen. */
  find(event: number): void {
    const view = centred(this.shown.view, startOf(this.events, event), endOf(this.events, event), this.events.span);
    this.set({ event, view });
  }

  /** Where an event is drawn; in a collapsed group, at the outermost events of its lane; null when it is not drawn. */
  bandOf(event: number): LaneBand | null {
    const rows = this.rows[elementAt(this.events.lane, event)] ?? [];
    const row = rows[Math.min(elementAt(this.events.depth, event), rows.length - 1)];
    const outermost = rows[0];
    const band = row === undefined ? undefined : this.#bands.get(row);
    return band ?? (outermost === undefined ? null : (this.#bands.get(outermost) ?? null));
  }

  /** The event of a band at a time, within `near` ns of it; null when there is none. */
  eventAt(band: LaneBand | null, time: number, near: number): number | null {
    if (band === null) return null;
    const place = nearestEvent(band.row, time, near);
    return place === -1 ? null : elementAt(band.row.events, place);
  }

  /** Weights of a row, computed when it is first drawn. */
  weightsOf(row: LaneRow): RowWeights {
    return entryOf(this.#weights, row, () => weightsOf(row, this.events.merged?.time));
  }

  /** Weights of the events of a row that match the search; null without a search. */
  matchWeightsOf(row: LaneRow): MatchWeights | null {
    const { matches } = this;
    if (matches === null) return null;
    return entryOf(this.#matchWeights, row, () => matchWeightsOf(row, matches.isMatch, this.events.merged?.time));
  }

  #lay(): TimelineLayout {
    const { tracks, marks } = this.extras;
    const extras = { tracks, marks: marks.length === 0 ? 0 : MARK_ROW };
    const layout = layoutOf(this.events.lanes, this.rows, this.shown.closed, this.shown.opened, extras);
    this.#bands = new Map(layout.bands.map((band) => [band.row, band]));
    return layout;
  }
}
