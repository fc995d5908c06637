/** What a panel of the dashboard is. */
import type { FieldScope } from './document/field.js';

/** The profile that is shown, and the page that it is part of. */
export interface PanelView extends FieldScope {
  /** Place of the profile among those of the page. */
  readonly at: number;
  /** Shows another profile. */
  readonly choose: (at: number) => void;
}

/** What a panel holds; a text says in a line why there is nothing to show. */
export type PanelContent = readonly Node[] | string;

export interface Panel {
  /** Of its element, its link and `data-panel`. */
  readonly id: string;
  readonly title: string;
  /** Width in columns of a wide screen, of six. */
  readonly width: 2 | 3 | 6;
  readonly make: (view: PanelView) => PanelContent;
}
