/** A store that refuses a fencing token smaller than the largest that it has seen. In SQL: `UPDATE … WHERE fence <= $1`. */
export function createStore() {
  const sent = [];
  let newest = 0;
  return {
    sent,
    send(invoice, fence) {
      if (fence < newest) throw new Error(`The fencing token ${fence} is too old: ${newest} has written.`);
      newest = fence;
      sent.push({ invoice, fence });
    },
  };
}
