/** Synchronises the address with the state of a timeline, in both directions. */
import { readAddress, withAddress, type TimelineAddress } from '../model/timeline-address.js';
import type { Scene, SceneState } from '../model/scene.js';
import { matchAt, type StepSpan } from '../model/search.js';
import { fitted, within, type View } from '../model/view.js';

/** ms between changes of the address: browsers limit their rate. */
const EVERY = 300;

/** Addresses have times from the profile's start, as the axis: a link holds for any timeline of the profile. */
const moved = <Span extends View>(span: Span, by: number): Span => ({
  ...span,
  from: span.from + by,
  to: span.to + by,
});

const isSameSet = (a: ReadonlySet<string>, b: ReadonlySet<string>): boolean =>
  a.size === b.size && [...a].every((one) => b.has(one));

const KEYS: readonly (keyof SceneState)[] = ['view', 'event', 'colour', 'search', 'closed', 'opened', 'span'];

/** The piece of a profile that a timeline shows. */
export interface ShownPiece {
  /** In the address; null for the one that is shown first. */
  readonly at: number | null;
  /** Where it is only a part of what is drawn: that part, ns from the profile's start. */
  readonly part: View | null;
  /** The first and the last of its steps; null for what lies between steps. */
  readonly steps: StepSpan | null;
}

export function followAddress(scene: Scene, profile: number, piece: ShownPiece, signal: AbortSignal): void {
  const { events } = scene;
  /** The view without one in the address. */
  const all = piece.part === null ? fitted(events.span) : within(moved(piece.part, -events.origin), events.span);
  const restore = (): void => {
    const address = readAddress(location.hash);
    const isOwn = address.profile === profile;
    const event = isOwn && address.event !== null && address.event < events.count ? address.event : null;
    scene.set({
      view: address.view === null ? all : within(moved(address.view, -events.origin), events.span),
      colour: address.colour ?? scene.usual,
      search: address.search,
      closed: address.closed === null ? scene.usuallyClosed : new Set(address.closed),
      opened: new Set(address.opened),
      event,
      span: isOwn && address.span !== null ? moved(address.span, -events.origin) : null,
    });
    const found =
      !isOwn || address.found === null || scene.matches === null ? null : matchAt(events, scene.matches, address.found);
    if (found !== null) scene.find(found);
  };
  const addressNow = (): Omit<TimelineAddress, 'found'> => {
    const { view, event, colour, search, closed, opened, span } = scene.shown;
    const isAll = view.from === all.from && view.to === all.to;
    return {
      profile,
      piece: piece.at,
      view: isAll ? null : moved(view, events.origin),
      event,
      colour: colour === scene.usual ? null : colour,
      search,
      closed: isSameSet(closed, scene.usuallyClosed) ? null : [...closed],
      opened: [...opened],
      span: span === null ? null : moved(span, events.origin),
    };
  };
  let waiting: ReturnType<typeof setTimeout> | undefined;
  const write = (): void => {
    waiting = undefined;
    const fragment = withAddress(location.hash, addressNow());
    try {
      const path = `${location.pathname}${location.search}`;
      history.replaceState(history.state, '', fragment === '' ? path : `${path}#${fragment}`);
    } catch {
      // A page in a frame may not be allowed to change its address: it works without.
    }
  };
  restore();
  scene.on(KEYS, () => {
    waiting ??= setTimeout(write, EVERY);
  });
  addEventListener('hashchange', restore, { signal });
  signal.addEventListener('abort', () => clearTimeout(waiting));
}
