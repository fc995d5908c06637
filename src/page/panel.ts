/** The interface of the dashboard's panels. */
import type { PageProfile } from '../prof/html/page-data.js';
import type { PageOutline } from '../prof/html/page-elements.js';
import type { SelectedSpan } from './timeline/model/view.js';

/** The profile that is shown, and its page. */
export interface PanelView {
  readonly data: PageOutline;
  readonly profile: PageProfile;
  /** Index of the profile on the page. */
  readonly at: number;
  /** The span of time that `profile` is restricted to; null for the whole profile. */
  readonly span: SelectedSpan | null;
  /** Shows another profile. @returns the profile once it is shown; null if it is not */
  readonly choose: (at: number) => Promise<PageProfile | null>;
}

/** Contents of a panel; a string states in one line why there is nothing to show. */
export type PanelContent = readonly Node[] | string;

export interface Panel {
  /** Id of its element, in its link and in `data-panel`. */
  readonly id: string;
  readonly title: string;
  /** Width, in columns of the six of a wide screen. */
  readonly width: 2 | 3 | 6;
  /** Whether two panels are next to it, one below the other. */
  readonly isTall?: boolean;
  readonly make: (view: PanelView) => PanelContent;
  /** Whether the panel exists for this profile; without this function it always exists and says why it is empty. */
  readonly isFor?: (view: PanelView) => boolean;
  /** Whether the data within a span can fill it; without this function it always shows the whole profile, and says so. */
  readonly follows?: (whole: PageProfile, within: PageProfile) => boolean;
  /** The command of `dprof` that answers for a span, if the panel cannot follow one. */
  readonly command?: string;
  /** Whether it shows the whole profile with the span marked in it. */
  readonly marksSpan?: boolean;
}

/** `follows` of panels about kernels and other device work. */
export const followsWork = ({ overview }: PageProfile): boolean => overview.devices.length > 0;

/** `follows` of panels about device time, which is unknown inside a span if the profile lacks work. */
export const followsDevices = ({ overview }: PageProfile): boolean =>
  overview.devices.length > 0 && overview.devices.every(({ missing }) => missing === null);
