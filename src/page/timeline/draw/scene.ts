/** What a timeline shows now, and what follows from it. Its parts watch it; none knows of another. */
import { coloursOf, usualColour, type ColourKey, type EventColours } from './colours.js';
import { endOf, startOf, type TimelineEvents } from '../model/events.js';
import { layoutOf, type LaneBand, type TimelineLayout } from '../model/layout.js';
import { weightsOf, type RowWeights } from '../model/levels.js';
import type { TimelineMarker } from '../model/timeline-markers.js';
import { nearestEvent, rowsOf, type LaneRow } from '../model/lane-rows.js';
import { search, type SearchMatches } from '../model/search.js';
import type { SelectedSpan } from '../model/span.js';
import { fitted, showing, within, type View } from '../model/view.js';

export interface SceneState {
  readonly view: View;
  readonly colour: ColourKey;
  readonly search: string;
  readonly closed: ReadonlySet<string>;
  /** The selected event. */
  readonly event: number | null;
  /** The event beneath the pointer, and the time there. */
  readonly hovered: number | null;
  readonly pointer: number | null;
  readonly span: SelectedSpan | null;
  /** Dragging selects a span. */
  readonly spanning: boolean;
  /** Arrows of all events are drawn where there are few. */
  readonly arrows: boolean;
  readonly markers: readonly TimelineMarker[];
}

export type SceneChanges = ReadonlySet<keyof SceneState>;

export class Scene {
  readonly rows: readonly (readonly LaneRow[])[];
  readonly weights: ReadonlyMap<LaneRow, RowWeights>;
  /** What events are coloured by unless something else is asked for. */
  readonly usual: ColourKey;
  #shown: SceneState;
  #colours: EventColours;
  #layout: TimelineLayout;
  #bands = new Map<LaneRow, LaneBand>();
  #matches: SearchMatches | null = null;
  #matchWeights: ReadonlyMap<LaneRow, RowWeights> | null = null;
  readonly #watchers: ((changed: SceneChanges) => void)[] = [];

  constructor(readonly events: TimelineEvents) {
    this.rows = rowsOf(events);
    this.weights = this.#weigh();
    this.usual = usualColour(events);
    this.#shown = {
      view: fitted(events.span),
      colour: this.usual,
      search: '',
      closed: new Set(),
      event: null,
      hovered: null,
      pointer: null,
      span: null,
      spanning: false,
      arrows: false,
      markers: [],
    };
    this.#colours = coloursOf(events, this.usual);
    this.#layout = this.#lay();
  }

  get shown(): SceneState {
    return this.#shown;
  }
  get colours(): EventColours {
    return this.#colours;
  }
  get layout(): TimelineLayout {
    return this.#layout;
  }
  /** Null without a search. */
  get matches(): SearchMatches | null {
    return this.#matches;
  }
  /** Of the events that match; null without a search. */
  get matchWeights(): ReadonlyMap<LaneRow, RowWeights> | null {
    return this.#matchWeights;
  }

  watch(watcher: (changed: SceneChanges) => void): void {
    this.#watchers.push(watcher);
  }

  set(change: Partial<SceneState>): void {
    const before = this.#shown;
    this.#shown = { ...before, ...change };
    const keys = Object.keys(change) as (keyof SceneState)[];
    const changed = new Set(keys.filter((key) => this.#shown[key] !== before[key]));
    if (changed.size === 0) return;
    if (changed.has('colour')) this.#colours = coloursOf(this.events, this.#shown.colour);
    if (changed.has('closed')) this.#layout = this.#lay();
    if (changed.has('search')) {
      this.#matches = search(this.events, this.#shown.search);
      this.#matchWeights = this.#matches === null ? null : this.#weigh(this.#matches.isMatch);
    }
    for (const watcher of this.#watchers) watcher(changed);
  }

  look(view: View): void {
    this.set({ view: within(view, this.events.span) });
  }

  /** Selects an event, and moves so far that it is seen. */
  select(event: number | null): void {
    if (event === null) this.set({ event });
    else {
      const view = showing(this.#shown.view, startOf(this.events, event), endOf(this.events, event), this.events.span);
      this.set({ event, view });
    }
  }

  /** Where an event is drawn: in a closed group with the outermost of its lane; null where it is not. */
  bandOf(event: number): LaneBand | null {
    const rows = this.rows[this.events.lane[event] ?? 0] ?? [];
    const own = rows[Math.min(this.events.depth[event] ?? 0, rows.length - 1)];
    const outermost = rows[0];
    const band = own === undefined ? undefined : this.#bands.get(own);
    return band ?? (outermost === undefined ? null : (this.#bands.get(outermost) ?? null));
  }

  /** The event of a band at a time, as near as `near` ns; null for none. */
  eventAt(band: LaneBand | null, time: number, near: number): number | null {
    if (band === null) return null;
    const place = nearestEvent(band.row, time, near);
    return place === -1 ? null : (band.row.events[place] ?? null);
  }

  #weigh(asked?: Uint8Array): ReadonlyMap<LaneRow, RowWeights> {
    return new Map(this.rows.flat().map((row) => [row, weightsOf(row, asked)]));
  }

  #lay(): TimelineLayout {
    const layout = layoutOf(this.events.lanes, this.rows, this.#shown.closed);
    this.#bands = new Map(layout.bands.map((band) => [band.row, band]));
    return layout;
  }
}
