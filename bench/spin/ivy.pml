/*
 * The token directory with Ivy's policy (machines/directory), for `npm run bench -- Spin`: N nodes whose pointers lead to node 0, which
 * holds the token. Every node asks again and again, and messages overtake each other. What a chart does in one step is one step here.
 * With -DWATCHED three of the directory's invariants are asserted after each step.
 */
#define NONE 255

byte parent[N];
byte next[N] = NONE;
bit waits[N];
bit inUse;
/* Who has the token; NONE while it flies. */
byte holder;
byte tokenTo = NONE;
/* For each node where its find goes to, and from where: no more than one is out. */
byte findTo[N] = NONE;
byte findFrom[N] = NONE;

/* Of one step alone. */
hidden byte at;
hidden byte i;
hidden byte j;
hidden byte edges;
hidden byte traces;
hidden byte component[N];

inline send(from, to, producer) {
  findFrom[producer] = from;
  findTo[producer] = to
}

inline handOver(to) {
  holder = NONE;
  tokenTo = to
}

inline ask(node) {
  waits[node] = 1;
  send(node, parent[node], node);
  parent[node] = node
}

inline release(node) {
  inUse = 0;
  if
  :: next[node] != NONE -> handOver(next[node]); next[node] = NONE
  :: else
  fi
}

inline takeFind(producer) {
  at = findTo[producer];
  send(NONE, NONE, producer);
  if
  :: parent[at] != at -> send(at, parent[at], producer)
  :: parent[at] == at && holder == at && !inUse -> handOver(producer)
  :: else -> next[at] = producer
  fi;
  parent[at] = producer
}

inline takeToken() {
  holder = tokenTo;
  tokenTo = NONE;
  waits[holder] = 0;
  inUse = 1
}

/* An edge of the tree joins two components. */
inline join(u, v) {
  edges++;
  assert(component[u] != component[v]);
  at = component[u];
  j = 0;
  do
  :: j < N -> if :: component[j] == at -> component[j] = component[v] :: else fi; j++
  :: else -> break
  od
}

inline watch() {
#ifdef WATCHED
  /* One token. */
  assert((holder == NONE) != (tokenTo == NONE));
  /* One trace of a request. */
  i = 0;
  do
  :: i < N ->
    traces = (findTo[i] != NONE) + (tokenTo == i);
    j = 0;
    do
    :: j < N -> traces = traces + (next[j] == i); j++
    :: else -> break
    od;
    assert(traces == waits[i]);
    component[i] = i;
    i++
  :: else -> break
  od;
  /* Pointers and finds are a spanning tree. */
  edges = 0;
  i = 0;
  do
  :: i < N ->
    if :: parent[i] != i -> join(i, parent[i]) :: else fi;
    if :: findTo[i] != NONE -> join(findFrom[i], findTo[i]) :: else fi;
    i++
  :: else -> break
  od;
  assert(edges == N - 1);
#endif
  skip
}

#define NODE(n) \
  :: d_step { holder != n && !waits[n] -> ask(n); watch() } \
  :: d_step { holder == n && !inUse -> inUse = 1; watch() } \
  :: d_step { holder == n && inUse -> release(n); watch() } \
  :: d_step { findTo[n] != NONE -> takeFind(n); watch() }

active proctype directory() {
end:
  do
  :: d_step { tokenTo != NONE -> takeToken(); watch() }
  NODE(0)
  NODE(1)
#if N > 2
  NODE(2)
#endif
#if N > 3
  NODE(3)
#endif
#if N > 4
  NODE(4)
#endif
#if N > 5
  NODE(5)
#endif
  od
}
