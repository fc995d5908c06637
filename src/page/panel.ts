/** Panels of the dashboard: their form. */
import type { PageProfile } from '../prof/html/page-data.js';
import type { PageOutline } from '../prof/html/page-elements.js';

/** The profile that is shown, and the page that it is part of. */
export interface PanelView {
  readonly data: PageOutline;
  readonly profile: PageProfile;
  /** Index of the profile among those of the page. */
  readonly at: number;
  /** Shows another profile. @returns it once it is shown; null where it is not */
  readonly choose: (at: number) => Promise<PageProfile | null>;
}

/** Contents of a panel; a text states in one line why there is nothing to show. */
export type PanelContent = readonly Node[] | string;

export interface Panel {
  /** Id of its element, in its link and in `data-panel`. */
  readonly id: string;
  readonly title: string;
  /** Width in columns of a wide screen, of six. */
  readonly width: 2 | 3 | 6;
  /** Whether two panels stand beside it, one below the other. */
  readonly isTall?: boolean;
  readonly make: (view: PanelView) => PanelContent;
  /** Whether it is there at all, for panels of some profiles only; others say why they are empty. */
  readonly isFor?: (view: PanelView) => boolean;
}
