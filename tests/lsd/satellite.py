"""The satellite program of the thesis, with the corrections of spec 2.4."""

SATELLITE = """
let satellite = body iframe = 0 end ;
let bras_primaire = body mass = 0, inertia = 0 end ;
let bras_secondaire = body mass = 0, inertia = 0 end ;
let reflecteur = body iframe = [0,0,?s] ++ 1, inertia = 0 end ;
join earth and satellite.frame                        (*c1*)
  with link(x,y,z,ps,th,ph)
    dof1 = [x,y,z], dof2 = ps || [0,0,1],
    dof3 = th || [1,0,0], dof4 = ph || [0,0,1] end ;
join [0,0,?s] ++ 1 @ satellite and bras_primaire.frame
  with link(x) dof = x || [1,0,0], torque = [?fs(x,x'),0,0] end ;
join bras_primaire.frame and bras_secondaire.frame
  with link(x) dof = [0,x,0], force = [0,?fs(x,x'),0] end ;
join bras_secondaire.frame and reflecteur.frame
  with link(x) dof = x || [0,1,0], torque = [0,?fs(x,x'),0] end ;
apply force body = satellite end on satellite.iframe ;
apply force body = satellite end on reflecteur.iframe ;
"""
