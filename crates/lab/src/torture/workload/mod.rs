//! Clients that ask over HTTP and write down what they asked and were told. Checks nothing.
