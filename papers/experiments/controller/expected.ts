/** Expected figures of the controller's tables: messages per permit, and the share of permits given without a message. */
type TreeName = 'chain' | 'star' | 'binary' | 'recursive';

export interface ExpectedFigures {
  readonly tree: TreeName;
  readonly n: number;
  /** M divided by W; 0 without waste. */
  readonly share: number;
  readonly naive: number;
  readonly bins: number;
  readonly basic: number;
  readonly main: number;
  readonly modified: number;
  /** Share of permits without a message under BASIC. */
  readonly local: number;
}

type Row = readonly [TreeName, number, number, ...(readonly [number, number, number, number, number, number])];

// prettier-ignore
const rows: readonly Row[] = [
  ['chain', 16, 2, 15, 0.0049, 0.0358, 0.141, 0.141, 0.995],
  ['chain', 16, 10, 15, 0.0244, 0.141, 0.563, 0.213, 0.978],
  ['chain', 16, 0, 15, 15, 15, 15, 0.25, 0.0626],
  ['chain', 256, 2, 254, 1.54, 3.04, 12.1, 12.1, 0.813],
  ['chain', 256, 10, 254, 6.87, 12.1, 41.2, 13.2, 0.255],
  ['chain', 256, 0, 254, 254, 254, 254, 13.2, 0.004],
  ['chain', 1024, 2, 1020, 25.7, 16.2, 57.1, 57.1, 0.252],
  ['chain', 1024, 10, 1020, 118, 101, 173, 62, 0.0009],
  ['chain', 1024, 0, 1020, 1020, 1020, 1020, 62.9, 0.0009],
  ['star', 16, 2, 1.87, 0.0006, 0.0075, 0.0294, 0.0294, 0.996],
  ['star', 16, 10, 1.87, 0.0031, 0.0294, 0.117, 0.0381, 0.985],
  ['star', 16, 0, 1.87, 1.87, 1.87, 1.87, 0.0386, 0.0626],
  ['star', 256, 2, 1.99, 0.0121, 0.251, 0.997, 0.997, 0.874],
  ['star', 256, 10, 1.99, 0.0538, 0.997, 1.99, 1.01, 0.501],
  ['star', 256, 0, 1.99, 1.99, 1.99, 1.99, 1.01, 0.004],
  ['star', 1024, 2, 2, 0.0502, 1, 2, 2, 0.498],
  ['star', 1024, 10, 2, 0.232, 2, 2, 2.03, 0.0009],
  ['star', 1024, 0, 2, 2, 2, 2, 2.03, 0.0009],
  ['binary', 16, 2, 4.75, 0.0016, 0.017, 0.0666, 0.0666, 0.995],
  ['binary', 16, 10, 4.75, 0.0077, 0.0666, 0.266, 0.0851, 0.981],
  ['binary', 16, 0, 4.75, 4.75, 4.75, 4.75, 0.0856, 0.0626],
  ['binary', 256, 2, 12.1, 0.0731, 0.981, 3.89, 3.89, 0.833],
  ['binary', 256, 10, 12.1, 0.326, 3.89, 10.1, 3.92, 0.334],
  ['binary', 256, 0, 12.1, 12.1, 12.1, 12.1, 3.92, 0.004],
  ['binary', 1024, 2, 16, 0.403, 4.74, 12.5, 12.5, 0.332],
  ['binary', 1024, 10, 16, 1.86, 16, 16, 12.5, 0.0009],
  ['binary', 1024, 0, 16, 16, 16, 16, 12.6, 0.0009],
  ['recursive', 16, 2, 4.5, 0.0015, 0.0209, 0.0823, 0.0823, 0.994],
  ['recursive', 16, 10, 4.5, 0.0073, 0.0823, 0.329, 0.0979, 0.975],
  ['recursive', 16, 0, 4.5, 4.5, 4.5, 4.5, 0.0984, 0.0626],
  ['recursive', 256, 2, 10.4, 0.0631, 1.03, 4.09, 4.09, 0.809],
  ['recursive', 256, 10, 10.4, 0.282, 4.09, 9.44, 4.11, 0.241],
  ['recursive', 256, 0, 10.4, 10.4, 10.4, 10.4, 4.12, 0.004],
  ['recursive', 1024, 2, 13.4, 0.338, 4.52, 11.3, 11.3, 0.256],
  ['recursive', 1024, 10, 13.4, 1.55, 13.4, 13.4, 11.3, 0.0009],
  ['recursive', 1024, 0, 13.4, 13.4, 13.4, 13.4, 11.3, 0.0009],
];

export const expectedTable: readonly ExpectedFigures[] = rows.map(
  ([tree, n, share, naive, bins, basic, main, modified, local]) => ({
    tree,
    n,
    share,
    naive,
    bins,
    basic,
    main,
    modified,
    local,
  }),
);
