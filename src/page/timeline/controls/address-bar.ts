/** Synchronises the address with the state of a timeline, in both directions. */
import { readAddress, withAddress, type TimelineAddress } from '../model/timeline-address.js';
import type { Scene, SceneState } from '../model/scene.js';
import { fitted, within } from '../model/view.js';

/** ms between changes of the address: browsers limit their rate. */
const EVERY = 300;

const KEYS: readonly (keyof SceneState)[] = ['view', 'event', 'colour', 'search', 'closed', 'span'];

export function followAddress(scene: Scene, profile: number, signal: AbortSignal): void {
  const { events } = scene;
  const restore = (): void => {
    const address = readAddress(location.hash);
    const isOwn = address.profile === profile;
    const event = isOwn && address.event !== null && address.event < events.count ? address.event : null;
    scene.set({
      view: address.view === null ? fitted(events.span) : within(address.view, events.span),
      colour: address.colour ?? scene.usual,
      search: address.search,
      closed: new Set(address.closed),
      event,
      span: isOwn ? address.span : null,
    });
  };
  const addressNow = (): TimelineAddress => {
    const { view, event, colour, search, closed, span } = scene.shown;
    const all = fitted(events.span);
    const isAll = view.from === all.from && view.to === all.to;
    return {
      profile,
      view: isAll ? null : view,
      event,
      colour: colour === scene.usual ? null : colour,
      search,
      closed: [...closed],
      span,
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
