/** Links to events of the timeline: a search there, which lists and marks what it finds. */
import type { PageProfile } from '../../prof/html/page-data.js';
import { element } from './dom-elements.js';
import { withName } from './fragment.js';

/** A value in a condition of the search. */
export const searched = (text: string): string => `"${text.replace(/["\\]/g, '\\$&')}"`;

/** The profile that is shown, and its index on the page. */
export interface Linked {
  readonly profile: PageProfile;
  readonly at: number;
}

/** @param condition in the language of `dprof --where`. @returns null where the page has no timeline */
export function timelineLink({ profile, at }: Linked, text: string, condition: string): HTMLElement | null {
  if (profile.timeline === null || profile.timeline.events === 0) return null;
  const made = element('a', { href: '#panel=timeline', title: `Show in the timeline: ${condition}` }, text);
  made.addEventListener('click', (event) => {
    event.preventDefault();
    const names = [
      ['panel', 'timeline'],
      ['t.search', condition],
      ['t.profile', at === 0 ? null : String(at)],
      // A view of another search would hide what is found.
      ['t.view', null],
      ['t.event', null],
    ] as const;
    const fragment = names.reduce((all, [name, value]) => withName(all, name, value), location.hash);
    // The same link once more leads there once more.
    if (`#${fragment}` === location.hash) dispatchEvent(new Event('hashchange'));
    else location.hash = fragment;
  });
  return made;
}

/** @param name of kernels, which may be short */
export const kernelLink = (linked: Linked, name: string): HTMLElement | null =>
  timelineLink(linked, name, `kernel~${searched(name)}`);

const inLayer = (path: readonly string[]): string => path.map((layer) => `layer==${searched(layer)}`).join(' && ');

/** @param path from the top */
export const layerLink = (linked: Linked, text: string, path: readonly string[]): HTMLElement | null =>
  timelineLink(linked, text, inLayer(path));

/** Kernels of one name in a layer: a single one may lie outside of the timeline. @param name which may be short */
export const layerKernelLink = (
  linked: Linked,
  text: string,
  path: readonly string[],
  name: string,
): HTMLElement | null => timelineLink(linked, text, `${inLayer(path)} && kernel~${searched(name)}`);
