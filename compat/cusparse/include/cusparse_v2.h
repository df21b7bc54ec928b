/* The name some programs include cuSPARSE's interface by. */
#include "cusparse.h"
