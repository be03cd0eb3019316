/** Why what no test notices is not a mistake, by the names of the reports. */
export const reasons = {
  'ring: reorder choices candidate: probe #2, before #1': 'no number is greater than the own and the own',
};
