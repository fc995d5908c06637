/** What a timeline shows now, and what follows from it. Its parts watch it; none knows of another. */
import { coloursOf, usualColour, type ColourKey, type Colours } from './colours.js';
import { endOf, startOf, type Events } from '../model/events.js';
import { layoutOf, type Band, type Layout } from '../model/layout.js';
import { weightsOf, type Weights } from '../model/levels.js';
import type { Marker } from '../model/timeline-markers.js';
import { placeAt, rowsOf, type Row } from '../model/lane-rows.js';
import { search, type Matches } from '../model/search.js';
import type { Span } from '../model/span.js';
import { fitted, showing, within, type View } from '../model/view.js';

export interface Shown {
  readonly view: View;
  readonly colour: ColourKey;
  readonly search: string;
  readonly closed: ReadonlySet<string>;
  /** The selected event. */
  readonly event: number | null;
  /** The event beneath the pointer, and the time there. */
  readonly hovered: number | null;
  readonly pointer: number | null;
  readonly span: Span | null;
  /** Dragging selects a span. */
  readonly spanning: boolean;
  /** Arrows of all events are drawn where there are few. */
  readonly arrows: boolean;
  readonly markers: readonly Marker[];
}

export type Changed = ReadonlySet<keyof Shown>;

export class Scene {
  readonly rows: readonly (readonly Row[])[];
  readonly weights: ReadonlyMap<Row, Weights>;
  /** What events are coloured by unless something else is asked for. */
  readonly usual: ColourKey;
  #shown: Shown;
  #colours: Colours;
  #layout: Layout;
  #bands = new Map<Row, Band>();
  #matches: Matches | null = null;
  #matchWeights: ReadonlyMap<Row, Weights> | null = null;
  readonly #watchers: ((changed: Changed) => void)[] = [];

  constructor(readonly events: Events) {
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

  get shown(): Shown {
    return this.#shown;
  }
  get colours(): Colours {
    return this.#colours;
  }
  get layout(): Layout {
    return this.#layout;
  }
  /** Null without a search. */
  get matches(): Matches | null {
    return this.#matches;
  }
  /** Of the events that match; null without a search. */
  get matchWeights(): ReadonlyMap<Row, Weights> | null {
    return this.#matchWeights;
  }

  watch(watcher: (changed: Changed) => void): void {
    this.#watchers.push(watcher);
  }

  set(change: Partial<Shown>): void {
    const before = this.#shown;
    this.#shown = { ...before, ...change };
    const keys = Object.keys(change) as (keyof Shown)[];
    const changed = new Set(keys.filter((key) => this.#shown[key] !== before[key]));
    if (changed.size === 0) return;
    if (changed.has('colour')) this.#colours = coloursOf(this.events, this.#shown.colour);
    if (changed.has('closed')) this.#layout = this.#lay();
    if (changed.has('search')) {
      this.#matches = search(this.events, this.#shown.search);
      this.#matchWeights = this.#matches === null ? null : this.#weigh(this.#matches.asked);
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
  bandOf(event: number): Band | null {
    const rows = this.rows[this.events.lane[event] ?? 0] ?? [];
    const own = rows[Math.min(this.events.depth[event] ?? 0, rows.length - 1)];
    const outermost = rows[0];
    const band = own === undefined ? undefined : this.#bands.get(own);
    return band ?? (outermost === undefined ? null : (this.#bands.get(outermost) ?? null));
  }

  /** The event of a band at a time, as near as `near` ns; null for none. */
  eventAt(band: Band | null, time: number, near: number): number | null {
    if (band === null) return null;
    const place = placeAt(band.row, time, near);
    return place === -1 ? null : (band.row.events[place] ?? null);
  }

  #weigh(asked?: Uint8Array): ReadonlyMap<Row, Weights> {
    return new Map(this.rows.flat().map((row) => [row, weightsOf(row, asked)]));
  }

  #lay(): Layout {
    const layout = layoutOf(this.events.lanes, this.rows, this.#shown.closed);
    this.#bands = new Map(layout.bands.map((band) => [band.row, band]));
    return layout;
  }
}
